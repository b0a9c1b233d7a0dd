/** One explicit statement of a turn: the draft and where it was said. Pure. */
import type { MemoryDraft, MemoryKind } from '../../core/index.ts';
import { conceptsOf, isAlike } from './title.ts';

/** The exact words of the turn that a memory is based on, at most. */
const MAX_QUOTE = 300;

export interface Parts {
  readonly kind: MemoryKind;
  readonly title: string;
  readonly evidence: 'said' | 'shown' | 'claimed';
  readonly quote?: string | undefined;
  readonly body?: string | undefined;
  readonly reason?: string | undefined;
  readonly facts?: readonly string[];
  readonly personal?: boolean;
}

/** The body never repeats the title or the reason. */
export function draftOf({ kind, title, evidence, quote, body, reason, facts, personal }: Parts): MemoryDraft {
  const more = body === undefined || isAlike(body, title) || body === reason ? '' : body;
  return {
    kind,
    title,
    body: more,
    facts: facts ?? [],
    concepts: conceptsOf(title, more),
    files: [],
    evidence,
    ...(quote !== undefined && quote !== '' && { quote }),
    ...(reason !== undefined && { reason }),
    ...(kind === 'issue' && { state: 'open' as const }),
    ...(personal && { personal }),
  };
}

/** Finds the words in the text they were taken from, with its own line breaks. */
export function quoteOf(raw: string, text: string): string | undefined {
  const said = raw.slice(0, MAX_QUOTE);
  if (text.includes(said)) return said;
  const words = said.split(/\s+/).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(words.join(String.raw`\s+`)).exec(text)?.[0].slice(0, MAX_QUOTE);
}
