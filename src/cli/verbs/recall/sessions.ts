/** Lists the sessions of this project: the newest, or those that match a search. */
import { age } from '../../../recall/index.ts';
import { row } from '../../row.ts';
import { counted } from '../../screen.ts';
import { count, flag, value, type Verb } from '../../verb.ts';

export const sessions: Verb = {
  name: 'sessions',
  usage: 'sessions [<words…>] [--all] [--limit <n>]',
  summary: 'List sessions, newest first or by search words, with age, turns and title.',
  options: {
    all: flag('Sessions of every project.'),
    limit: value('n', 'Maximum number (10).'),
  },
  examples: ['tidemark sessions', 'tidemark sessions move the watcher to fsnotify'],
  async run({ args, options, client, cwd, screen }) {
    const query = args.join(' ');
    const limit = count(options, 'limit', 10);
    const where = options['all'] ? {} : { dir: cwd };
    const list = await client.call('read.sessions', { query, limit, ...where });
    if (options['json']) return screen.json(list);
    const { paint } = screen;
    for (const { id, lastAt, turns, status, title } of list) {
      const facts = paint.dim(`${age(lastAt, new Date())} · ${counted(turns, 'turn')} · ${status}`);
      const front = paint.cyan(id.slice(0, 8));
      screen.print(row(screen, { front, text: title ?? '(no title)', behind: facts }));
    }
    if (list.length === 0 && query !== '')
      screen.say(`No session matches. Try other words${options['all'] ? '' : ', or --all'}.`);
    else if (list.length === 0)
      screen.say(
        options['all']
          ? 'No sessions yet. Import past ones with: tidemark import history'
          : 'No sessions in this project yet. See all with --all, or import past ones: tidemark import history',
      );
  },
};
