/** Lists the memories around an entry or a day. */
import { isLive, shortId } from '../../../core/index.ts';
import { namesOfAgents } from '../../agent-option.ts';
import { row } from '../../row.ts';
import { count, usageError, value, type Verb } from '../../verb.ts';

export const timeline: Verb = {
  name: 'timeline',
  usage: 'timeline <id | day> [--limit <n>]',
  summary: 'Show the memories before and after a memory or a day (3d, 2026-11-01), oldest first.',
  examples: ['tidemark timeline 7k2m9qx', 'tidemark timeline 3d --limit 20'],
  options: {
    limit: value('n', 'Maximum number of memories, half before and half after (default: 10).'),
  },
  async run(context) {
    const { args, options, client, cwd, screen } = context;
    const [around] = args;
    if (!around) throw usageError('no id or day given', 'tidemark timeline <id>, 2026-11-01 or 3d');
    const limit = count(options, 'limit', 10);
    const line = await client.call('read.timeline', { around, limit, dir: cwd });
    if (options['json']) return screen.json(line);
    if (line.before.length + line.after.length === 0 && !line.anchor)
      screen.say(`No memories of this project around ${around}.`);
    const { paint } = screen;
    const nameOf = await namesOfAgents(context, { dir: cwd });
    for (const memory of [...line.before, ...(line.anchor ? [line.anchor] : []), ...line.after]) {
      const { id, at, kind, title, author, provenance } = memory;
      const time = paint.dim(at.slice(0, 16).replace('T', ' '));
      const agent = nameOf(provenance.agent);
      const isThis = id === line.anchor?.id;
      const behind = [...(agent ? [paint.dim(agent)] : []), ...(isThis ? [paint.green('← this one')] : [])];
      const front = `${time}  ${paint.cyan(shortId(id))}  ${paint.yellow(kind.padEnd(10))}`;
      const state = isLive(memory) ? '' : ` (${memory.state})`;
      const by = author === undefined ? '' : ` (by ${author})`;
      const text = `${title}${state}${by}`;
      screen.print(row(screen, { front, text, behind: behind.join(' ') }));
    }
  },
};
