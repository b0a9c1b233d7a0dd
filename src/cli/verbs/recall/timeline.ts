/** What was remembered around an entry or a day. */
import { TidemarkError } from '../../../core/index.ts';
import type { Timeline } from '../../../recall/index.ts';
import { row } from '../../row.ts';
import { count, JSON_OPTION, type Verb } from '../../verb.ts';

export const timeline: Verb = {
  name: 'timeline',
  usage: 'timeline <id | day> [--limit <n>]',
  summary: 'Show what was remembered around an entry or a day, in order of time.',
  examples: ['tidemark timeline 1ja0p3h7k2m9qx', 'tidemark timeline yesterday --limit 20'],
  options: {
    limit: {
      type: 'string',
      value: 'n',
      doc: 'At most this many, half before and half after where there are (10).',
    },
    ...JSON_OPTION,
  },
  async run({ args, options, client, cwd, screen }) {
    const [around] = args;
    if (!around)
      throw new TidemarkError('usage', 'around what?', {
        hint: 'tidemark timeline <id>, 2026-02-09 or yesterday',
      });
    const limit = count(options, 'limit', 10);
    const line = await client.call<Timeline>('read.timeline', { around, limit, dir: cwd });
    if (options['json']) return screen.json(line);
    if (line.before.length + line.after.length === 0 && !line.anchor)
      screen.say(`Nothing is remembered of this project around ${around}.`);
    const { paint } = screen;
    for (const { id, at, kind, title, author } of [
      ...line.before,
      ...(line.anchor ? [line.anchor] : []),
      ...line.after,
    ]) {
      const time = paint.dim(at.slice(0, 16).replace('T', ' '));
      const here = id === line.anchor?.id ? { behind: paint.green('← this one') } : {};
      const front = `${time}  ${paint.cyan(id)}  ${paint.yellow(kind.padEnd(10))}`;
      screen.print(
        row(screen, { front, text: author === undefined ? title : `${title} (by ${author})`, ...here }),
      );
    }
  },
};
