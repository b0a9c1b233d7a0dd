/** Lists, retries and deletes events that failed three times and were set aside. */
import { plainLine } from '../../../core/index.ts';
import { age } from '../../../recall/index.ts';
import type { QuarantinedEvent } from '../../../storage/spool/index.ts';
import { flag, notFound, usageError, type Context, type Verb } from '../../verb.ts';

export const failed: Verb = {
  name: 'failed',
  usage: 'failed [list | show <id> | retry <id…> | drop <id…>] [--all]',
  summary: 'List, retry or delete events that were set aside after failing.',
  options: { all: flag('All events that were set aside.') },
  examples: ['tidemark failed', 'tidemark failed retry --all', 'tidemark failed drop 3f2a'],
  async run(context) {
    const [what = 'list', ...given] = context.args;
    const entries = await context.client.call('quarantine.list', {});
    switch (what) {
      case 'list':
        return list(context, entries);
      case 'show':
        return context.screen.json(one(entries, given[0]));
      case 'retry':
        return retry(context, chosen(context, entries, given));
      case 'drop':
        return drop(context, chosen(context, entries, given));
      default:
        throw usageError(`there is no "failed ${what}"`, 'See: tidemark failed --help');
    }
  },
};

function list({ options, screen }: Context, entries: readonly QuarantinedEvent[]): void {
  if (options['json']) return screen.json(entries.map(withoutText));
  if (entries.length === 0) return screen.say('Nothing is set aside.');
  const { paint } = screen;
  for (const { id, at, reason, event } of entries) {
    const what = event?.input.hook_event_name ?? 'unreadable';
    screen.print(
      `${paint.cyan(id)}  ${paint.yellow(what)}  ${paint.dim(at ? age(at, new Date()) : '')}  ${plainLine(reason)}`,
    );
  }
}

async function retry({ options, client, screen }: Context, ids: readonly string[]): Promise<void> {
  const { retried, unreadable } = await client.call('quarantine.retry', { ids });
  await client.call('drain', {});
  const left = new Set((await client.call('quarantine.list', {})).map(({ id }) => id));
  const failed = retried.filter((id) => left.has(id));
  const done = retried.filter((id) => !left.has(id));
  if (options['json']) return screen.json({ done, failed, unreadable });
  screen.print(
    `${done.length} processed, ${failed.length} set aside again, ${unreadable.length} unreadable.`,
  );
  if (unreadable.length > 0) screen.say('Unreadable events can only be deleted: tidemark failed drop <id>');
}

async function drop({ options, client, screen }: Context, ids: readonly string[]): Promise<void> {
  const result = await client.call('quarantine.drop', { ids });
  if (options['json']) return screen.json(result);
  screen.print(`${result.dropped.length} deleted.`);
}

/** Finds an event by the start of its id, if only one matches. */
function one(entries: readonly QuarantinedEvent[], start: string | undefined): QuarantinedEvent {
  if (!start) throw usageError('no id given', 'List them: tidemark failed');
  const found = entries.filter(({ id }) => id === start || id.startsWith(start));
  const [entry] = found;
  if (entry && (found.length === 1 || entry.id === start)) return entry;
  if (entry) throw usageError(`${found.length} events begin with ${start}`, 'Give more of the id.');
  throw notFound(`no event set aside has the id ${start}`, 'List them: tidemark failed');
}

function chosen(
  { options }: Context,
  entries: readonly QuarantinedEvent[],
  given: readonly string[],
): readonly string[] {
  if (options['all']) return entries.map(({ id }) => id);
  return given.length === 0 ? [one(entries, undefined).id] : given.map((start) => one(entries, start).id);
}

/** Omits the text, which only `show` prints. */
function withoutText({ id, at, reason, event }: QuarantinedEvent): object {
  const { hook_event_name: name, session_id: session } = event?.input ?? {};
  return { id, at, reason, event: name ?? null, session: session ?? null };
}
