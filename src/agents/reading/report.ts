/** Tells how much of an agent's answer is its report: the text after its last tool call. Pure. */

/** Returns the length of `end`; undefined if nothing was said at the end, or nothing before it. */
export function reportIn(answer: string, end: string): number | undefined {
  return end.length > 0 && end.length < answer.length ? end.length : undefined;
}
