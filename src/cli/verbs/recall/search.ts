/** Level 1: lists matching memories with id, age, score and cost; then turns and commits. */
import { evidenceWords, isLive, withOrigin, plainLine, shortId } from '../../../core/index.ts';
import { queryWords } from '../../../database/index.ts';
import {
  age,
  changeNote,
  conflictNote,
  cutToTokens,
  filesTouched,
  shortSha,
  type CommitFound,
  type TurnFound,
} from '../../../recall/index.ts';
import { agentOption, agentsAsked } from '../../agent-option.ts';
import { row } from '../../row.ts';
import type { Screen } from '../../screen.ts';
import { count, flag, usageError, value, type Verb } from '../../verb.ts';

/** Enough of a prompt to recognise it. */
const LINE_TOKENS = 30;

export const search: Verb = {
  name: 'search',
  usage: 'search <words…> [--all] [--agent <name>] [--limit <n>]',
  summary: 'Search memories, past conversations and commit messages.',
  options: {
    all: flag('Search every project without preferring this one.'),
    agent: agentOption('Only memories and turns from sessions of this agent.'),
    limit: value('n', 'Maximum number (10).'),
  },
  examples: ['tidemark search refresh token rotation', 'tidemark search kind:decision since:last-week auth'],
  async run(context) {
    const { args, options, client, cwd, screen } = context;
    const agents = agentsAsked(context);
    const query = [...args, ...(agents ? [`agent:${agents.join(',')}`] : [])].join(' ').trim();
    if (!query) throw usageError('no search words given', 'tidemark search <words>');
    const where = options['all'] ? {} : { dir: cwd };
    const limit = count(options, 'limit', 10);
    const answer = await client.call('read.search', { query, limit, ...where });
    const { hits, turns, commits, query: asked } = answer;
    if (options['json']) {
      const found = hits.map((hit) => ({ ...hit, memory: withOrigin(hit.memory) }));
      return screen.json({ hits: found, turns, commits });
    }
    const { paint } = screen;
    for (const problem of asked.problems) screen.say(problem);
    for (const { memory, score, cost, changes, conflicts } of hits) {
      const facts = [age(memory.at, new Date()), evidenceWords(memory), score.toFixed(2), `${cost} tokens`];
      const side = paint.dim(facts.join(' · '));
      const notes = [changeNote(changes), conflictNote(conflicts)].filter((note) => note !== '');
      const note = notes.map((one) => paint.red(` · ${one}`)).join('');
      const front = `${paint.cyan(shortId(memory.id))}  ${paint.yellow(memory.kind.padEnd(10))}`;
      const state = isLive(memory) ? '' : ` (${memory.state})`;
      const by = memory.author === undefined ? '' : ` (by ${memory.author})`;
      const text = `${memory.title}${state}${by}`;
      screen.print(row(screen, { front, text, paint: paint.bold, behind: side + note }));
    }
    const below = [turnLines(screen, turns), commitLines(screen, commits)].filter(({ length }) => length > 0);
    if (hits.length === 0 && below.length === 0) screen.say(nothingFor(asked.text, Boolean(options['all'])));
    for (const [i, lines] of below.entries()) {
      if (hits.length > 0 || i > 0) screen.print('');
      for (const line of lines) screen.print(line);
    }
  },
};

function turnLines(screen: Screen, turns: readonly TurnFound[]): readonly string[] {
  const { paint } = screen;
  if (turns.length === 0) return [];
  const lines = turns.map(({ turn, cost }) => {
    const behind = paint.dim(`${age(turn.at, new Date())} · ${cost} tokens`);
    const text = cutToTokens(plainLine(turn.prompt.trim().split('\n')[0] ?? ''), LINE_TOKENS);
    return row(screen, { front: paint.cyan(turn.id), text, behind });
  });
  return [paint.dim('Turns (tidemark transcript <turn>):'), ...lines];
}

function commitLines(screen: Screen, commits: readonly CommitFound[]): readonly string[] {
  const { paint } = screen;
  if (commits.length === 0) return [];
  const lines = commits.map(({ commit }) => {
    const facts = [commit.at.slice(0, 10), plainLine(filesTouched(commit))].filter((fact) => fact !== '');
    const front = `${paint.cyan(shortSha(commit))}  ${paint.yellow('commit')}`;
    return row(screen, { front, text: plainLine(commit.subject), behind: paint.dim(facts.join(' · ')) });
  });
  return [paint.dim('Commits that give a reason (git show <commit>):'), ...lines];
}

function nothingFor(text: string, isEverywhere: boolean): string {
  if (text !== '' && queryWords(text).length === 0)
    return `Every word of “${text}” is too common. Add a more specific one.`;
  return `No matches. Try fewer or other words${isEverywhere ? '' : ', or --all'}.`;
}
