/** Shared by the verbs for single memories: parsing a kind or ids, printing a memory in one line or with its receipt. */
import { MEMORY_KINDS, type Memory, type MemoryKind, plainLine, shortId } from '../../../core/index.ts';
import { appearsLine, receiptOf } from '../../../recall/index.ts';
import type { Screen } from '../../screen.ts';
import { usageError, type Context } from '../../verb.ts';

export function kindOf(word: string): MemoryKind {
  const kind = MEMORY_KINDS.find((candidate) => candidate === word);
  if (kind) return kind;
  throw usageError(`there is no kind "${word}"`, `One of ${MEMORY_KINDS.join(', ')}.`);
}

/** `7k2m9qx  decision · Refresh tokens rotate on every use` */
export function memoryLine(memory: Memory, { paint }: Screen, behind?: string): string {
  const { id, kind, state, title, seen } = memory;
  const shown = state === 'current' || state === 'open' ? kind : `${kind} (${state})`;
  const facts = [...(seen ? [`said ${seen} times`] : []), ...(behind ? [behind] : [])];
  const dimmed = facts.length > 0 ? paint.dim(`  ${facts.join(' · ')}`) : '';
  return `${paint.cyan(shortId(id))}  ${paint.yellow(shown)} · ${paint.bold(plainLine(title))}${dimmed}`;
}

/** Prints one line per memory, or the result as JSON. */
export function printMemories({ options, screen }: Context, found: Memory | readonly Memory[]): void {
  if (options['json']) return screen.json(found);
  for (const memory of 'id' in found ? [found] : found) screen.print(memoryLine(memory, screen));
}

/** Prints a memory that was just stored, where it appears and how to undo it. */
export function printReceipt(context: Context, memory: Memory): void {
  const receipt = receiptOf(memory);
  const { options, screen } = context;
  if (options['json']) return screen.json({ ...memory, ...receipt });
  printMemories(context, memory);
  screen.say(appearsLine(receipt));
  screen.say(`Undo: ${receipt.undo}`);
}

/** Returns the ids of the command line, or throws a usage error. */
export function idsFrom(args: readonly string[], usage: string, least = 1): readonly string[] {
  if (args.length >= least) return args;
  throw usageError(
    least > 1 ? `${least} ids are required` : 'no id given',
    `tidemark ${usage}. Find ids with: tidemark search <words>`,
  );
}
