/** Improves memories made without a model. Shows the cost; spends nothing without consent. */
import type { DistillReport } from '../../../distill/index.ts';
import { bar, counted } from '../../screen.ts';
import { EXIT, flag, sinceOf, value, type Verb } from '../../verb.ts';
import { dollars } from '../recall/cost.ts';

const DEFAULT_DAYS = 7;
const DAY_MS = 24 * 60 * 60 * 1000;

export const distill: Verb = {
  name: 'distill',
  usage: 'distill [--since <date>] [--dry-run] [--yes]',
  summary: 'Let a model improve memories that were made without one.',
  options: {
    since: value('date', 'Only turns since this day (default: seven days ago).'),
    'dry-run': flag('Show the number of turns and what they would cost.'),
    yes: flag('Accept the cost of this run, whatever distill.consent says.'),
  },
  examples: ['tidemark distill --dry-run', 'tidemark distill --since 2026-11-01'],
  async run({ options, client, screen }) {
    const report = await client.call(
      'distill',
      {
        since: sinceOf(options) ?? new Date(Date.now() - DEFAULT_DAYS * DAY_MS).toISOString(),
        ...(options['dry-run'] ? { dryRun: true } : {}),
        ...(options['yes'] ? { agreed: true } : {}),
      },
      ({ done, total, improved }) => {
        screen.progress(`${bar(done, total)}  ${done}/${total} turns, ${improved} improved`);
      },
    );
    screen.done();
    if (options['json']) screen.json(report);
    else screen.print(linesOf(report, Boolean(options['dry-run'])).join('\n'));
    return report.stopped === undefined || report.stopped === 'cancelled' ? EXIT.ok : EXIT.failed;
  },
};

const STOPPED: Readonly<Record<NonNullable<DistillReport['stopped']>, string>> = {
  'no-consent':
    'This costs money. Run it again with --yes, or allow it for good: tidemark config set distill.consent true',
  'no-driver': 'No driver is available. See: tidemark doctor',
  ceiling:
    "Stopped at today's limit. Run it again tomorrow, or raise distill.dailyTokens or distill.dailyUsd.",
  cancelled: 'Stopped early. Run it again to continue.',
};

function linesOf(report: DistillReport, dryRun: boolean): readonly string[] {
  const { expected, spent, driver } = report;
  const price = driver === 'local' ? '' : ` with ${driver}`;
  const forecast = `${counted(report.turns, 'turn')} made without a model. All of them${price}: at most about ${expected.tokens.toLocaleString('en')} tokens, ${dollars(expected.usd)}.`;
  if (dryRun || report.stopped === 'no-consent') {
    return [forecast, ...(report.stopped ? [STOPPED[report.stopped]] : [])];
  }
  return [
    `${report.improved} of ${counted(report.turns, 'turn')} improved (${counted(report.memories, 'memory')}), ${report.trivial} not worth a request, ${report.failed} failed.`,
    `Spent ${dollars(spent.usd)}: ${counted(spent.requests, 'request')}, ${spent.inputTokens.toLocaleString('en')} tokens in, ${spent.outputTokens.toLocaleString('en')} out.`,
    ...(report.stopped ? [STOPPED[report.stopped]] : []),
  ];
}
