/** What distilling with a model has cost: by day, session, turn, driver or model. */
import { TidemarkError } from '../../../core/index.ts';
import type { CostAnswer, CostQuestion } from '../../../daemon/index.ts';
import { count, JSON_OPTION, type Verb } from '../../verb.ts';

const KEYS = ['day', 'session', 'turn', 'driver', 'model'] as const satisfies readonly CostQuestion['by'][];

export const cost: Verb = {
  name: 'cost',
  usage: 'cost [--by <what>] [--since <date>] [--session <id>]',
  summary: 'Show what distilling with a model has cost, in tokens and money.',
  options: {
    by: {
      type: 'string',
      value: 'what',
      doc: 'One row for each day (default), session, turn, driver or model.',
    },
    since: { type: 'string', value: 'date', doc: 'Only from this day on (UTC).' },
    session: { type: 'string', value: 'id', doc: 'Only this session.' },
    limit: { type: 'string', value: 'n', doc: 'At most this many rows (30).' },
    ...JSON_OPTION,
  },
  examples: ['tidemark cost', 'tidemark cost --by session --since 2026-11-01'],
  async run({ options, client, screen }) {
    const by = KEYS.find((key) => key === (options['by'] ?? 'day'));
    if (!by)
      throw new TidemarkError('usage', 'by what shall I add it up?', { hint: `--by ${KEYS.join('|')}` });
    const question: CostQuestion = {
      by,
      limit: count(options, 'limit', 30),
      ...(typeof options['since'] === 'string' ? { since: options['since'] } : {}),
      ...(typeof options['session'] === 'string' ? { session: options['session'] } : {}),
    };
    const answer = await client.call<CostAnswer>('read.cost', question);
    if (options['json']) return screen.json(answer);
    if (answer.total.requests === 0) return screen.say('Nothing was spent: no model has been asked.');
    for (const { key, ...spent } of answer.rows) screen.print(line(key || '(summaries)', spent));
    screen.print(screen.paint.bold(line('total', answer.total)));
  },
};

function line(name: string, { requests, inputTokens, outputTokens, usd }: CostAnswer['total']): string {
  const tokens = `${inputTokens.toLocaleString('en')} in, ${outputTokens.toLocaleString('en')} out`;
  return `${name.padEnd(12)}  ${dollars(usd).padStart(9)}  ${String(requests).padStart(5)} requests  ${tokens}`;
}

export function dollars(usd: number): string {
  return `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`;
}
