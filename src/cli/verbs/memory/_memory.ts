/** What verbs about single memories share: reading a kind, and one line for one memory. */
import { MEMORY_KINDS, TidemarkError, type Memory, type MemoryKind } from '../../../core/index.ts';
import type { Screen } from '../../screen.ts';

export function kindOf(word: string): MemoryKind {
  const kind = MEMORY_KINDS.find((candidate) => candidate === word);
  if (kind) return kind;
  throw new TidemarkError('usage', `"${word}" is no kind`, { hint: `One of ${MEMORY_KINDS.join(', ')}.` });
}

/** `1ja0p3h7k2m9qx  decision · Refresh tokens rotate on every use` */
export function memoryLine({ id, kind, state, title, seen }: Memory, { paint }: Screen): string {
  const shown = state === 'current' || state === 'open' ? kind : `${kind} (${state})`;
  const often = seen ? paint.dim(`  said ${seen} times`) : '';
  return `${paint.cyan(id)}  ${paint.yellow(shown)} · ${paint.bold(title)}${often}`;
}

/** Ids from the command line, or a usage error. */
export function idsFrom(args: readonly string[], usage: string, least = 1): readonly string[] {
  if (args.length >= least) return args;
  throw new TidemarkError('usage', 'which one?', {
    hint: `tidemark ${usage}. Find ids with: tidemark search <words>`,
  });
}
