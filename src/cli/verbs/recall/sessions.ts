/** The sessions of this project: the newest, or those that were about something. */
import type { Session } from '../../../core/index.ts';
import { age } from '../../../recall/index.ts';
import { row } from '../../row.ts';
import { count, JSON_OPTION, type Verb } from '../../verb.ts';

export const sessions: Verb = {
  name: 'sessions',
  usage: 'sessions [<words…>] [--all] [--limit <n>]',
  summary: 'List sessions, the newest or those about these words: when, how many turns, what about.',
  options: {
    all: { type: 'boolean', doc: 'Of every project.' },
    limit: { type: 'string', value: 'n', doc: 'At most this many (10).' },
    ...JSON_OPTION,
  },
  examples: ['tidemark sessions', 'tidemark sessions move the watcher to fsnotify'],
  async run({ args, options, client, cwd, screen }) {
    const query = args.join(' ');
    const limit = count(options, 'limit', 10);
    const where = options['all'] ? {} : { dir: cwd };
    const list = await client.call<readonly Session[]>('read.sessions', { query, limit, ...where });
    if (options['json']) return screen.json(list);
    const { paint } = screen;
    for (const { id, lastAt, turns, status, title } of list) {
      const facts = paint.dim(
        `${age(lastAt, new Date())} · ${turns} ${turns === 1 ? 'turn' : 'turns'} · ${status}`,
      );
      const front = paint.cyan(id.slice(0, 8));
      screen.print(row(screen, { front, text: title ?? '(no title)', behind: facts }));
    }
    if (list.length === 0 && query !== '')
      screen.say(`No session is about that. Try other words${options['all'] ? '' : ', or --all'}.`);
    else if (list.length === 0)
      screen.say('No session is known here. Bring past ones in with: tidemark import history');
  },
};
