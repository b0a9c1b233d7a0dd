/** Lists the sessions of this project: the newest, or those that match a search. */
import { given } from '../../../core/index.ts';
import { age } from '../../../recall/index.ts';
import { agentOption, agentsAsked, namesOfAgents } from '../../agent-option.ts';
import { row } from '../../row.ts';
import { counted } from '../../screen.ts';
import { count, flag, value, type Verb } from '../../verb.ts';

export const sessions: Verb = {
  name: 'sessions',
  usage: 'sessions [<words…>] [--all] [--agent <name>] [--limit <n>]',
  summary: 'List sessions, newest first or by search words, with age, turns and title.',
  options: {
    all: flag('Sessions of every project.'),
    agent: agentOption('Only sessions of this agent.'),
    limit: value('n', 'Maximum number (10).'),
  },
  examples: ['tidemark sessions', 'tidemark sessions move the watcher to fsnotify'],
  async run(context) {
    const { args, options, client, cwd, screen } = context;
    const query = args.join(' ');
    const limit = count(options, 'limit', 10);
    const where = options['all'] ? {} : { dir: cwd };
    const agent = agentsAsked(context);
    const list = await client.call('read.sessions', { query, limit, ...given({ agent }), ...where });
    if (options['json']) return screen.json(list);
    const { paint } = screen;
    const shown = shownLength(list.map(({ id }) => id));
    const nameOf = await namesOfAgents(context, where);
    for (const { id, agent: by, lastAt, turns, status, title } of list) {
      const said = [age(lastAt, new Date()), nameOf(by) ?? [], counted(turns, 'turn'), status];
      const facts = paint.dim(said.flat().join(' · '));
      const front = paint.cyan(id.slice(0, shown));
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

const SHORTEST_ID = 8;

/** The characters of an id that tell these sessions apart: ids of some clients begin with the time. */
export function shownLength(ids: readonly string[]): number {
  const isEnough = (length: number): boolean =>
    new Set(ids.map((id) => id.slice(0, length))).size === new Set(ids).size;
  let length = SHORTEST_ID;
  while (!isEnough(length)) length++;
  return length;
}
