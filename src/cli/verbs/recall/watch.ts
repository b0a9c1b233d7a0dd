/** Prints new memories as they are added, until Ctrl-C. */
import { shortId } from '../../../core/index.ts';
import type { DaemonEvent } from '../../../daemon/index.ts';
import { row } from '../../row.ts';
import { flag, type Context, type Verb } from '../../verb.ts';

export const watch: Verb = {
  name: 'watch',
  usage: 'watch [--all]',
  summary: 'Print new memories live, until Ctrl-C.',
  options: {
    all: flag('Memories of all projects, not only of this one.'),
    json: flag('Print one JSON object per line and memory.'),
  },
  async run(context) {
    const { client, options, cwd, screen } = context;
    const { project } = await client.call('read.place', { dir: cwd });
    const only = options['all'] ? null : project;
    const leave = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => leave.abort());
    screen.say(only ? `Following ${only}. Ctrl-C to stop.` : 'Following every project. Ctrl-C to stop.');
    const seen = new Set<string>();
    // One after the other, so that the order stays.
    let printing = Promise.resolve();
    const onChange = (facts: unknown): void => {
      const { memories = [] } = facts as DaemonEvent;
      printing = printing.then(() => print(context, memories, seen, only)).catch(() => {});
    };
    try {
      const { ended } = await client.call('watch', {}, onChange, leave.signal);
      await printing;
      screen.say(`The daemon has stopped (${ended}).`);
    } catch (error) {
      if (!leave.signal.aborted) throw error;
      await printing;
    }
  },
};

async function print(
  { client, options, screen }: Context,
  ids: readonly string[],
  seen: Set<string>,
  only: string | null,
): Promise<void> {
  const fresh = ids.filter((id) => !seen.has(id));
  for (const id of fresh) {
    seen.add(id);
    // Skips memories merged or forgotten in the meantime, and does not restart a daemon that just stopped.
    const found = client.callIfUp('read.show', { ids: [id] });
    const [entry] = (await found.catch(() => [])) ?? [];
    if (!entry || (only !== null && entry.memory.project !== only)) continue;
    const { memory } = entry;
    if (options['json']) screen.json(memory, 0);
    else {
      const { paint } = screen;
      const where = only === null ? `${paint.dim(memory.project)}  ` : '';
      const front = `${paint.dim(memory.at.slice(11, 16))}  ${where}${paint.cyan(shortId(memory.id))}  ${paint.yellow(memory.kind.padEnd(10))}`;
      screen.print(row(screen, { front, text: memory.title, paint: paint.bold }));
    }
  }
}
