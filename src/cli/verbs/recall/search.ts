/** Level 1: lists matching memories with id, state, project, age, score and cost; then turns and the agents' own files. */
import {
  evidenceWords,
  isLive,
  MEMORY_KINDS,
  MEMORY_STATES,
  plainLine,
  shortId,
  withOrigin,
  type Memory,
} from '../../../core/index.ts';
import type { FoundMemory, FoundTurn, SearchAnswer } from '../../../daemon/index.ts';
import {
  age,
  changeNote,
  cutToTokens,
  laterNote,
  parseQuery,
  unsearchable,
  writtenBy,
  type SectionFound,
} from '../../../recall/index.ts';
import { agentOption, agentsAsked } from '../../agent-option.ts';
import { row } from '../../row.ts';
import { counted, tilde, type Screen } from '../../screen.ts';
import { count, flag, list, usageError, value, type Context, type Verb } from '../../verb.ts';

/** Enough of a prompt to recognise it. */
const LINE_TOKENS = 30;

export const search: Verb = {
  name: 'search',
  usage: 'search <words…> [--kind <kind>] [--state <state>] [--all] [--agent <name>] [--limit <n>]',
  summary:
    'Search memories and past conversations. Times: since:3d, since:2w, since:1m, since:2026-11, until:2026-11-01.',
  options: {
    kind: {
      ...list('kind', `Only memories of this kind: ${MEMORY_KINDS.join(', ')}. May be repeated.`),
      choices: MEMORY_KINDS,
    },
    state: {
      ...list('state', `Only memories in this state: ${MEMORY_STATES.join(', ')}. May be repeated.`),
      choices: MEMORY_STATES,
    },
    all: flag('Search all projects, not only the one of this folder.'),
    agent: agentOption('Only memories and turns from sessions of this agent.'),
    limit: value('n', 'Maximum number of memories (default: 10).'),
  },
  examples: [
    'tidemark search refresh token rotation',
    'tidemark search --kind decision since:2w auth',
    'tidemark search state:open',
  ],
  async run(context) {
    const { options, client, cwd, screen } = context;
    const query = queryOf(context);
    const all = Boolean(options['all']);
    const limit = count(options, 'limit', 10);
    const answer = await client.call('read.search', { query, limit, ...(all ? { all } : { dir: cwd }) });
    const { hits, turns, sections, elsewhere } = answer;
    if (options['json']) {
      const found = hits.map((hit) => ({ ...hit, memory: withOrigin(hit.memory) }));
      const more = elsewhere > 0 ? { elsewhere } : {};
      return screen.json({ hits: found, turns, sections, ...more });
    }
    for (const note of notesOn(answer, all)) screen.say(note);
    for (const hit of hits) screen.print(memoryLine(screen, hit));
    const below = [turnLines(screen, turns), sectionLines(screen, sections)].filter(
      ({ length }) => length > 0,
    );
    for (const [i, lines] of below.entries()) {
      if (hits.length > 0 || i > 0) screen.print('');
      for (const line of lines) screen.print(line);
    }
  },
};

/** The words and the options as one query. Throws for a filter that is not understood. */
function queryOf(context: Context): string {
  const { args, lists } = context;
  const filters = { kind: lists['kind'], state: lists['state'], agent: agentsAsked(context) };
  const written = Object.entries(filters).flatMap(([name, values]) =>
    values ? [`${name}:${values.map((one) => one.trim() || '""').join(',')}`] : [],
  );
  const query = [...args, ...written].join(' ').trim();
  if (!query) throw usageError('no search words given', 'tidemark search <words>');
  const [problem] = parseQuery(query, new Date()).problems;
  if (problem !== undefined) throw usageError(problem);
  return query;
}

function notesOn(answer: SearchAnswer, all: boolean): readonly string[] {
  const { query, hits, turns, sections, within, elsewhere } = answer;
  const isOutside = !all && within === undefined && query.project === undefined;
  const isEmpty = hits.length + turns.length + sections.length === 0;
  return [
    ...query.problems,
    ...(isOutside ? ['This folder belongs to no known project: all projects were searched.'] : []),
    ...(isEmpty ? [nothingFor(query.text, within !== undefined, elsewhere)] : []),
  ];
}

function nothingFor(text: string, isProject: boolean, elsewhere: number): string {
  const reason = unsearchable(text);
  if (reason !== undefined) return reason;
  if (elsewhere > 0)
    return `No matches in this project. ${counted(elsewhere, 'hit')} in other projects: add --all.`;
  return `No matches${isProject ? ' in any project' : ''}. Try fewer or other words; a time is written since:3d or since:2026-11-01.`;
}

function memoryLine(screen: Screen, { memory, projectName, score, cost, changes, later }: FoundMemory) {
  const { paint } = screen;
  const facts = [plainLine(projectName), age(memory.at, new Date()), evidenceWords(memory), score.toFixed(2)];
  const state = isLive(memory) ? paint.dim(memory.state) : paint.red(endOf(memory));
  const side = paint.dim(` · ${[...facts, `${cost} tokens`].join(' · ')}`);
  const notes = [changeNote(changes), laterNote(later, new Date())].filter((note) => note !== '');
  const note = notes.map((one) => paint.red(` · ${one}`)).join('');
  const front = `${paint.cyan(shortId(memory.id))}  ${paint.yellow(memory.kind.padEnd(10))}`;
  const by = memory.author === undefined ? '' : ` (by ${memory.author})`;
  const look = isLive(memory) ? paint.bold : paint.dim;
  return row(screen, { front, text: `${memory.title}${by}`, paint: look, behind: state + side + note });
}

/** `superseded by 7k2m9qx`, `resolved` */
function endOf({ state, supersededBy, resolvedBy }: Memory): string {
  const by = supersededBy ?? resolvedBy;
  return by === undefined ? state : `${state} by ${shortId(by)}`;
}

function turnLines(screen: Screen, turns: readonly FoundTurn[]): readonly string[] {
  const { paint } = screen;
  if (turns.length === 0) return [];
  const lines = turns.map(({ turn, name, projectName, cost }) => {
    const behind = paint.dim(`${plainLine(projectName)} · ${age(turn.at, new Date())} · ${cost} tokens`);
    const text = cutToTokens(plainLine(turn.prompt.trim().split('\n')[0] ?? ''), LINE_TOKENS);
    return row(screen, { front: paint.cyan(name), text, behind });
  });
  return [paint.dim('Turns (tidemark transcript <turn>):'), ...lines];
}

function sectionLines(screen: Screen, sections: readonly SectionFound[]): readonly string[] {
  const { paint } = screen;
  if (sections.length === 0) return [];
  const lines = sections.map(({ section, excerpt }) => {
    const front = `${paint.cyan(section.id)}  ${paint.yellow(plainLine(section.label))}`;
    const text = cutToTokens(plainLine(`${section.title}: ${excerpt}`), LINE_TOKENS);
    const behind = paint.dim([writtenBy(section, 'user'), plainLine(tilde(section.path))].join(' · '));
    return row(screen, { front, text, behind });
  });
  return [paint.dim('Files that your agents load themselves (tidemark show <id>):'), ...lines];
}
