/** Shows the cost of distilling with a model, by day, session, turn, driver or model. */
import { given } from '../../../core/index.ts';
import type { ArgsOf, CostAnswer } from '../../../daemon/index.ts';
import { count, optionText, sinceOf, usageError, value, type Verb } from '../../verb.ts';

const KEYS = [
  'day',
  'session',
  'turn',
  'driver',
  'model',
] as const satisfies readonly ArgsOf<'read.cost'>['by'][];

export const cost: Verb = {
  name: 'cost',
  usage: 'cost [--by <what>] [--since <when>] [--session <id>]',
  summary: 'Show what language models cost, in tokens and money.',
  options: {
    by: value('what', 'Group by day (default), session, turn, driver or model.'),
    since: value('when', 'Only since then: yesterday, monday, 2026-11-01. Days are in UTC.'),
    session: value('id', 'Only this session.'),
    limit: value('n', 'Maximum number of rows (default: 30).'),
  },
  examples: ['tidemark cost', 'tidemark cost --by session --since 2026-11-01'],
  async run({ options, client, screen }) {
    const by = KEYS.find((key) => key === (options['by'] ?? 'day'));
    if (!by)
      throw usageError(
        `cannot group by "${String(options['by'])}"`,
        'Group by: day, session, turn, driver or model',
      );
    const question: ArgsOf<'read.cost'> = {
      by,
      limit: count(options, 'limit', 30),
      ...given({ since: sinceOf(options, 'UTC'), session: optionText(options, 'session') }),
    };
    const answer = await client.call('read.cost', question);
    if (options['json']) return screen.json(answer);
    if (answer.total.requests === 0) return screen.say('Nothing was spent: no model was used.');
    for (const { key, ...spent } of answer.rows) screen.print(line(key || '(summaries)', spent));
    screen.print(screen.paint.bold(line('total', answer.total)));
  },
};

function line(name: string, { requests, inputTokens, outputTokens, usd }: CostAnswer['total']): string {
  const tokens = `${inputTokens.toLocaleString('en')} in, ${outputTokens.toLocaleString('en')} out`;
  const asked = `${String(requests).padStart(5)} ${(requests === 1 ? 'request' : 'requests').padEnd(8)}`;
  return `${name.padEnd(12)}  ${dollars(usd).padStart(9)}  ${asked}  ${tokens}`;
}

export function dollars(usd: number): string {
  return `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`;
}
