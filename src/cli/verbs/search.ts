/** Level 1: a list of what may matter, each with id, age, score and cost. */
import { age, changeNote, type Hit } from '../../recall/index.ts';
import { TidemarkError } from '../../model/index.ts';
import { row } from '../row.ts';
import { count, JSON_OPTION, type Verb } from '../verb.ts';

export const search: Verb = {
  name: 'search',
  usage: 'search <words…> [--all] [--limit <n>]',
  summary: 'Find memories: one line each, with id, age, score and cost.',
  options: {
    all: { type: 'boolean', doc: 'Search every project, not only that of this folder first.' },
    limit: { type: 'string', value: 'n', doc: 'At most this many (10).' },
    ...JSON_OPTION,
  },
  examples: ['tidemark search refresh token rotation', 'tidemark search kind:decision since:last-week auth'],
  async run({ args, options, client, cwd, screen }) {
    const query = args.join(' ');
    if (!query)
      throw new TidemarkError('usage', 'what shall I look for?', { hint: 'tidemark search <words>' });
    const where = options['all'] ? {} : { dir: cwd };
    const limit = count(options['limit'], 10);
    const { hits } = await client.call<{ hits: readonly Hit[] }>('read.search', { query, limit, ...where });
    if (options['json']) return screen.json(hits);
    const { paint } = screen;
    for (const { memory, score, cost, changes } of hits) {
      const side = paint.dim(`${age(memory.at, new Date())} · ${score.toFixed(2)} · ${cost} tokens`);
      const note = changes.length > 0 ? paint.red(` · ${changeNote(changes)}`) : '';
      const front = `${paint.cyan(memory.id)}  ${paint.yellow(memory.kind.padEnd(10))}`;
      screen.print(row(screen, { front, text: memory.title, paint: paint.bold, behind: side + note }));
    }
    if (hits.length === 0)
      screen.say(
        `Nothing remembered matches. Try fewer or other words${options['all'] ? '' : ', or --all'}.`,
      );
  },
};
