/** Decides whether the user just ordered what a memory forbids. In doubt yes: the user knows best. Pure. */
import type { Forbidden } from './forbidden.ts';

/** Prompts with fewer words may confirm what the agent proposed: `yes, do that`. */
const SHORT_PROMPT = 8;
const NEGATED = /(?:\b(?:never|not|no|without|avoid|stop)|n['’]t)\b[^.!?\n]{0,40}$/i;

export interface Talk {
  /** The user's latest prompts, the current one last. */
  readonly prompts: readonly string[];
  /** The agent's answer before the current prompt. */
  readonly answer: string;
}

export function isOrdered({ text }: Forbidden, { prompts, answer }: Talk): boolean {
  const current = prompts.at(-1) ?? '';
  const isShort = (current.match(/\S+/g)?.length ?? 0) < SHORT_PROMPT;
  return prompts.some((prompt) => names(prompt, text)) || (isShort && mentions(answer, text) === 'plainly');
}

/** Names it plainly, or more than half of its words: `reset the database with prisma`. */
function names(prompt: string, text: string): boolean {
  const mentioned = mentions(prompt, text);
  if (mentioned !== 'not at all') return mentioned === 'plainly';
  const wanted = wordsOf(text);
  const said = new Set(wordsOf(prompt));
  return wanted.filter((word) => said.has(word)).length > wanted.length / 2;
}

/** `negated`: every mention is part of a prohibition. */
function mentions(prompt: string, text: string): 'plainly' | 'negated' | 'not at all' {
  const said = prompt.toLowerCase().replace(/\s+/g, ' ');
  const wanted = text.toLowerCase();
  let found: 'negated' | 'not at all' = 'not at all';
  for (let at = said.indexOf(wanted); at !== -1; at = said.indexOf(wanted, at + wanted.length)) {
    if (!NEGATED.test(said.slice(Math.max(0, at - 60), at))) return 'plainly';
    found = 'negated';
  }
  return found;
}

function wordsOf(text: string): readonly string[] {
  return [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))];
}
