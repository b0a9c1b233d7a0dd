/** A commit message: its subject, the text below it, and whether it gives a reason. Pure. */

export interface CommitMessage {
  readonly subject: string;
  /** Without trailers and the lines of tools; empty if nothing else follows. */
  readonly body: string;
}

/** Lines that name people or were added by a tool. Names are not needed, and none of these lines is a reason. */
const TRAILER =
  /^(?:[a-z]+(?:-[a-z]+)*-by|cc|change-id|git-svn-id|pr-url|reviewed-on|skip-checks):\s.*$|^(?:bug|issue|closes|fixes|refs?|link):?\s+(?:\S*#\d+|https?:\S+|[A-Z]+-\d+|[0-9a-f]{7,})[\s\S]{0,80}$|^\(cherry picked from commit [0-9a-f]+\)$|^🤖 generated with .*$/iu;

/** A body with fewer letters is a ticket number or a mark. */
const FEWEST_LETTERS = 15;

/** Words that introduce a reason in a subject. `as` and `for` are left out: most subjects have one of them. */
const REASON =
  /\b(?:because|so that|so (?:it|we|they|the)|instead of|rather than|since|due to|in order to|otherwise|to (?:avoid|prevent|stop|keep|allow)|caused by|no longer|not needed|works? ?around|workaround|broke|breaks|weil|damit|anstatt|statt|sonst|porque|para que|en vez de|parce que|afin de|au lieu de|perché|invece di)\b|因为|以便|而不是|ため|代わりに|때문/i;

const REVERT = /^(?:revert|back ?out|undo|roll ?back|reapply)\b|\bthis reverts commit\b/i;

/** An update of a dependency by a bot: its body is the other project's changelog. */
const ROUTINE =
  /^(?:\w+(?:\([^)]*\))?!?: )?(?:bump|update dependency|update module)\b.* (?:from|to) v?\d|^(?:build|chore|fix)\(deps(?:-dev)?\)/i;

export function readMessage(text: string): CommitMessage {
  const lines = text
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => line.trimEnd());
  const start = lines.findIndex((line) => line !== '');
  if (start === -1) return { subject: '', body: '' };
  const blank = lines.indexOf('', start);
  const end = blank === -1 ? lines.length : blank;
  const body = lines
    .slice(end)
    .filter((line) => !TRAILER.test(line.trim()))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return { subject: lines.slice(start, end).join(' ').trim(), body };
}

/** Whether a message says why: it has a body, it takes something back, or its subject gives a reason. */
export function hasReason({ subject, body }: CommitMessage): boolean {
  if (ROUTINE.test(subject)) return false;
  return REVERT.test(subject) || REASON.test(subject) || lettersIn(body) >= FEWEST_LETTERS;
}

function lettersIn(text: string): number {
  return text.match(/\p{L}/gu)?.length ?? 0;
}
