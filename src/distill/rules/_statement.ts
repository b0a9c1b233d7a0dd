/** A draft of a memory and the sentence it comes from. Pure. */
import type { MemoryDraft, MemoryKind } from '../../core/index.ts';
import type { Sentence } from './sentences.ts';
import { conceptsOf } from './title.ts';

export interface Statement {
  readonly draft: MemoryDraft;
  readonly source: Sentence;
}

export function draftOf(
  kind: MemoryKind,
  title: string,
  body: string,
  reason?: string,
  facts: readonly string[] = [],
): MemoryDraft {
  return {
    kind,
    title,
    body,
    ...(kind === 'decision' && reason !== undefined && { reason }),
    facts,
    concepts: conceptsOf(title, body),
    files: [],
    ...(kind === 'issue' && { state: 'open' as const }),
  };
}
