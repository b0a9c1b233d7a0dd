/** Shared by the verbs for single memories: parsing a kind or ids, printing a memory in one line or with its receipt. */
import {
  given,
  MEMORY_KINDS,
  type Memory,
  type MemoryKind,
  plainLine,
  shortId,
} from '../../../core/index.ts';
import { loadConfig } from '../../../config/index.ts';
import { appearsLine, receiptOf } from '../../../recall/index.ts';
import type { Screen } from '../../screen.ts';
import { usageError, type Context } from '../../verb.ts';
import { reasonForNone } from '../recall/brief.ts';

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
export async function printReceipt(context: Context, memory: Memory): Promise<void> {
  const { options, screen } = context;
  const off = await reasonNotRecalled(context, memory);
  const receipt = receiptOf(memory, { off: off !== undefined });
  if (options['json']) return screen.json({ ...memory, ...receipt, ...given({ notRecalled: off }) });
  printMemories(context, memory);
  screen.say(appearsLine(receipt));
  if (off) screen.say(off);
  screen.say(`Undo: ${receipt.undo}`);
}

/** Says why no session gets the memory now: its folder is ignored, or recall is paused or off. */
async function reasonNotRecalled(context: Context, { project }: Memory): Promise<string | undefined> {
  const { client, cwd, places, env, flags } = context;
  const place = await client.call('read.place', { dir: cwd });
  const { values } = loadConfig({ places, env, projectDir: cwd, flags });
  if (project === place.project) return reasonForNone(place, values);
  // A memory for every project still reaches the others.
  const paused = place.paused.filter(({ scope }) => scope === 'everywhere');
  return reasonForNone({ ...place, ignored: false, paused }, loadConfig({ places, env }).values);
}

/** Returns the ids of the command line, or throws a usage error. */
export function idsFrom(args: readonly string[], usage: string, least = 1): readonly string[] {
  if (args.length >= least) return args;
  throw usageError(
    least > 1 ? `${least} ids are required` : 'no id given',
    `tidemark ${usage}. Find ids with: tidemark search <words>`,
  );
}
