/** Level 1: lists matching memories with id, age, score and cost. */
import { evidenceWords, isLive, withOrigin, plainLine } from '../../../core/index.ts';
import { queryWords } from '../../../database/index.ts';
import { age, changeNote, conflictNote, cutToTokens } from '../../../recall/index.ts';
import { row } from '../../row.ts';
import { count, flag, usageError, value, type Verb } from '../../verb.ts';

/** Enough of a prompt to recognise it. */
const LINE_TOKENS = 30;

export const search: Verb = {
  name: 'search',
  usage: 'search <words…> [--all] [--limit <n>]',
  summary: 'Find memories, and turns without memories: one line each.',
  options: {
    all: flag('Search every project without preferring this one.'),
    limit: value('n', 'Maximum number (10).'),
  },
  examples: ['tidemark search refresh token rotation', 'tidemark search kind:decision since:last-week auth'],
  async run({ args, options, client, cwd, screen }) {
    const query = args.join(' ').trim();
    if (!query) throw usageError('no search words given', 'tidemark search <words>');
    const where = options['all'] ? {} : { dir: cwd };
    const limit = count(options, 'limit', 10);
    const { hits, turns, query: asked } = await client.call('read.search', { query, limit, ...where });
    if (options['json']) {
      const found = hits.map((hit) => ({ ...hit, memory: withOrigin(hit.memory) }));
      return screen.json({ hits: found, turns });
    }
    const { paint } = screen;
    for (const problem of asked.problems) screen.say(problem);
    for (const { memory, score, cost, changes, conflicts } of hits) {
      const facts = [age(memory.at, new Date()), evidenceWords(memory), score.toFixed(2), `${cost} tokens`];
      const side = paint.dim(facts.join(' · '));
      const notes = [changeNote(changes), conflictNote(conflicts)].filter((note) => note !== '');
      const note = notes.map((one) => paint.red(` · ${one}`)).join('');
      const front = `${paint.cyan(memory.id)}  ${paint.yellow(memory.kind.padEnd(10))}`;
      const state = isLive(memory) ? '' : ` (${memory.state})`;
      const by = memory.author === undefined ? '' : ` (by ${memory.author})`;
      const text = `${memory.title}${state}${by}`;
      screen.print(row(screen, { front, text, paint: paint.bold, behind: side + note }));
    }
    if (hits.length === 0 && turns.length === 0) screen.say(nothingFor(asked.text, Boolean(options['all'])));
    if (turns.length === 0) return;
    if (hits.length > 0) screen.print('');
    screen.print(paint.dim('Turns without memories (tidemark transcript <turn>):'));
    for (const { turn, cost } of turns) {
      const side = paint.dim(`${age(turn.at, new Date())} · ${cost} tokens`);
      const text = cutToTokens(plainLine(turn.prompt.trim().split('\n')[0] ?? ''), LINE_TOKENS);
      screen.print(row(screen, { front: paint.cyan(turn.id), text, behind: side }));
    }
  },
};

function nothingFor(text: string, isEverywhere: boolean): string {
  if (text !== '' && queryWords(text).length === 0)
    return `Every word of “${text}” is too common. Add a more specific one.`;
  return `No matches. Try fewer or other words${isEverywhere ? '' : ', or --all'}.`;
}
