/** Improves with a model what was made without one. Shows what it would cost; spends nothing before a yes. */
import { TidemarkError } from '../../../core/index.ts';
import type { DistillReport } from '../../../distill/index.ts';
import { bar } from '../../screen.ts';
import { EXIT, JSON_OPTION, type Verb } from '../../verb.ts';
import { dollars } from '../recall/cost.ts';

const DEFAULT_DAYS = 7;
const DAY_MS = 24 * 60 * 60 * 1000;

export const distill: Verb = {
  name: 'distill',
  usage: 'distill [--since <date>] [--dry-run] [--yes]',
  summary: 'Let a model improve the memories that were made without one.',
  options: {
    since: { type: 'string', value: 'date', doc: 'Turns from this day on (the last seven days).' },
    'dry-run': { type: 'boolean', doc: 'Say how many turns there are and what they would cost.' },
    yes: { type: 'boolean', doc: 'Agree to the cost for this run, whatever distill.consent says.' },
    ...JSON_OPTION,
  },
  examples: ['tidemark distill --dry-run', 'tidemark distill --since 2026-11-01'],
  async run({ options, client, screen }) {
    const report = await client.call<DistillReport>(
      'distill',
      {
        since: sinceOf(options['since']),
        ...(options['dry-run'] ? { dryRun: true } : {}),
        ...(options['yes'] ? { agreed: true } : {}),
      },
      (facts) => {
        const { done, total, improved } = facts as { done: number; total: number; improved: number };
        screen.progress(`${bar(done, total)}  ${done}/${total} turns, ${improved} improved`);
      },
    );
    screen.done();
    if (options['json']) screen.json(report);
    else screen.print(linesOf(report, Boolean(options['dry-run'])).join('\n'));
    return report.stopped === undefined || report.stopped === 'cancelled' ? EXIT.ok : EXIT.failed;
  },
};

function sinceOf(given: string | boolean | undefined): string {
  if (typeof given !== 'string') return new Date(Date.now() - DEFAULT_DAYS * DAY_MS).toISOString();
  const time = Date.parse(given);
  if (Number.isNaN(time))
    throw new TidemarkError('usage', `"${given}" is not a date`, { hint: 'For example: --since 2026-11-01' });
  return new Date(time).toISOString();
}

const STOPPED: Readonly<Record<NonNullable<DistillReport['stopped']>, string>> = {
  'no-consent':
    'Nothing was sent. Agree once with --yes, or for good: tidemark config set distill.consent true',
  'no-driver': 'No driver works now. See: tidemark doctor',
  ceiling:
    "Stopped at today's ceiling; run it again tomorrow, or raise distill.dailyTokens or distill.dailyUsd.",
  cancelled: 'Stopped early; run it again to go on.',
};

function linesOf(report: DistillReport, dryRun: boolean): readonly string[] {
  const { expected, spent, driver } = report;
  const price = driver === 'local' ? '' : ` with ${driver}`;
  const forecast = `${report.turns} turns made without a model; all of them${price}: at most about ${expected.tokens.toLocaleString('en')} tokens, ${dollars(expected.usd)}.`;
  if (dryRun || report.stopped === 'no-consent') {
    return [forecast, ...(report.stopped ? [STOPPED[report.stopped]] : [])];
  }
  return [
    `${report.improved} of ${report.turns} turns improved (${report.memories} memories), ${report.trivial} not worth a request, ${report.failed} failed.`,
    `Spent ${dollars(spent.usd)}: ${spent.requests} requests, ${spent.inputTokens.toLocaleString('en')} tokens in, ${spent.outputTokens.toLocaleString('en')} out.`,
    ...(report.stopped ? [STOPPED[report.stopped]] : []),
  ];
}
