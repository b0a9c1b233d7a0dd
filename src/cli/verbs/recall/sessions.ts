/**
 * Lists the sessions of this project: the newest, those since a time, or those that match a search; or the turns of one
 * session. Both as lines or as Markdown.
 */
import { given, plainLine } from '../../../core/index.ts';
import type { SessionTurns } from '../../../daemon/index.ts';
import { age, cutToTokens, sessionsMarkdown } from '../../../recall/index.ts';
import { agentOption, agentsAsked, namesOfAgents } from '../../agent-option.ts';
import { row } from '../../row.ts';
import { counted } from '../../screen.ts';
import { count, flag, sinceOf, value, type Context, type Verb } from '../../verb.ts';

export const sessions: Verb = {
  name: 'sessions',
  usage:
    'sessions [<words…> | <session>] [--since <when>] [--all] [--agent <name>] [--limit <n>] [--markdown]',
  summary: 'List sessions, newest first or by search words, with age, turns and title.',
  options: {
    since: value('when', 'Only sessions since then: 3d, 2w, 1m or 2026-11-01.'),
    all: flag('Sessions of all projects, not only of this one.'),
    agent: agentOption('Only sessions of this agent.'),
    limit: value('n', 'Maximum number of sessions (default: 10, with --since 100).'),
    markdown: flag('Print Markdown: a list with summaries, or one session with its turns and memories.'),
  },
  examples: [
    'tidemark sessions',
    'tidemark sessions move the watcher to fsnotify',
    'tidemark sessions 5f3c1a2b --markdown > session.md',
    'tidemark sessions --since 3d --markdown',
  ],
  async run(context) {
    const { args, options, client, cwd, screen } = context;
    const query = args.join(' ');
    const one = mayBeId(args) ? await client.call('read.sessionTurns', { id: query }) : null;
    if (one && options['markdown'])
      return screen.print((await client.call('read.markdown', { session: one.session.id })) ?? '');
    if (one) return options['json'] ? screen.json(one) : printTurns(context, one);
    const since = sinceOf(options);
    const limit = count(options, 'limit', since === undefined ? 10 : 100);
    const where = options['all'] ? {} : { dir: cwd };
    const agent = agentsAsked(context);
    const list = await client.call('read.sessions', { query, limit, ...given({ agent, since }), ...where });
    if (options['json']) return screen.json(list);
    if (options['markdown'] && list.length > 0) return screen.print(sessionsMarkdown(list));
    const { paint } = screen;
    const shown = shownLength(list.map(({ id }) => id));
    const nameOf = await namesOfAgents(context, where);
    for (const { id, agent: by, lastAt, turns, status, title } of list) {
      const said = [age(lastAt, new Date()), nameOf(by) ?? [], counted(turns, 'turn'), status];
      const facts = paint.dim(said.flat().join(' · '));
      const front = paint.cyan(id.slice(0, shown));
      screen.print(row(screen, { front, text: title ?? '(no title)', behind: facts }));
    }
    if (list.length === 0 && since !== undefined)
      screen.say(`No sessions since then. Try an earlier time${options['all'] ? '' : ', or --all'}.`);
    else if (list.length === 0 && query !== '')
      screen.say(`No session matches. Try other words${options['all'] ? '' : ', or --all'}.`);
    else if (list.length === 0)
      screen.say(
        options['all']
          ? 'No sessions yet. Import past ones with: tidemark import history'
          : 'No sessions in this project yet. See all with --all, or import past ones: tidemark import history',
      );
  },
};

/** One text that is more likely an id than a word. */
function mayBeId([text = '', ...more]: readonly string[]): boolean {
  return more.length === 0 && /^[\w.-]{4,}$/.test(text) && (/\d/.test(text) || text.length >= SHORTEST_ID);
}

/** Enough of a prompt to recognise it. */
const PROMPT_TOKENS = 30;

async function printTurns(context: Context, { session, name, projectName, turns }: SessionTurns) {
  const { screen } = context;
  const { paint } = screen;
  const nameOf = await namesOfAgents(context, { project: session.project });
  const facts = [plainLine(projectName), nameOf(session.agent) ?? [], age(session.lastAt, new Date())].flat();
  const behind = paint.dim([...facts, counted(turns.length, 'turn'), session.status].join(' · '));
  const text = session.title ?? '(no title)';
  screen.print(row(screen, { front: paint.cyan(name), text, paint: paint.bold, behind }));
  for (const turn of turns) {
    const prompt = cutToTokens(plainLine(turn.prompt.trim().split('\n')[0] ?? ''), PROMPT_TOKENS);
    const did = [
      ...(turn.origin === 'person' ? [] : [turn.origin]),
      ...(turn.outcome === 'answered' ? [] : [turn.outcome]),
      ...(turn.tools > 0 ? [counted(turn.tools, 'tool call')] : []),
    ];
    const time = paint.dim(turn.at.slice(0, 16).replace('T', ' '));
    const front = `${paint.cyan(turn.name)}  ${time}`;
    screen.print(row(screen, { front, text: prompt || '(no prompt)', behind: paint.dim(did.join(' · ')) }));
  }
  screen.say(`Read one: tidemark transcript <turn>. Read all: tidemark transcript ${name}`);
}

const SHORTEST_ID = 8;

/** The characters of an id that tell these sessions apart: ids of some clients begin with the time. */
export function shownLength(ids: readonly string[]): number {
  const isEnough = (length: number): boolean =>
    new Set(ids.map((id) => id.slice(0, length))).size === new Set(ids).size;
  let length = SHORTEST_ID;
  while (!isEnough(length)) length++;
  return length;
}
