/** Has a language model, or with --small the small model, read turns again. Shows the cost; spends nothing without consent. */
import type { DistillReport } from '../../../distill/index.ts';
import { bar, counted } from '../../screen.ts';
import { EXIT, flag, sinceOf, value, type Context, type Verb } from '../../verb.ts';
import { dollars } from '../recall/cost.ts';

const DEFAULT_DAYS = 7;
const DAY_MS = 24 * 60 * 60 * 1000;

export const distill: Verb = {
  name: 'distill',
  usage: 'distill [--since <when>] [--dry-run] [--yes | --small]',
  summary: 'Let a language model improve memories that were made without one, and try failed turns again.',
  options: {
    since: value('when', 'Only turns since then: monday, 2026-11-01 (default: seven days ago).'),
    'dry-run': flag('Show the number of turns and what they would cost.'),
    yes: flag('Accept the cost of this run, even without distill.consent.'),
    small: flag(
      'Let the small model on this machine read the turns again instead. Free, and nothing is sent.',
    ),
  },
  examples: ['tidemark distill --dry-run', 'tidemark distill --since 2026-11-01', 'tidemark distill --small'],
  async run(context) {
    const { options, client, screen } = context;
    const since = sinceOf(options) ?? new Date(Date.now() - DEFAULT_DAYS * DAY_MS).toISOString();
    const dryRun = options['dry-run'] ? { dryRun: true } : {};
    if (options['small']) return keepAgain(context, { since, ...dryRun });
    const report = await client.call(
      'distill',
      {
        since,
        ...dryRun,
        ...(options['yes'] ? { agreed: true } : {}),
      },
      ({ done, total, improved }) => {
        screen.progress(`${bar(done, total)}  ${done}/${total} turns, ${improved} improved`);
      },
    );
    screen.done();
    if (options['json']) screen.json(report);
    else screen.print(linesOf(report, Boolean(options['dry-run'])).join('\n'));
    const isWell = report.stopped === undefined || report.stopped === 'cancelled';
    return isWell && report.failed === 0 ? EXIT.ok : EXIT.failed;
  },
};

async function keepAgain(
  { options, client, screen }: Context,
  args: { readonly since: string; readonly dryRun?: boolean },
): Promise<number> {
  const report = await client.call('distill.small', args, ({ done, total }) =>
    screen.progress(`${bar(done, total)}  ${done}/${total} turns`),
  );
  screen.done();
  const { turns, kept, memories, failed, stopped } = report;
  const others = stopped ? 'the others not tried' : 'the others not worth reading';
  const read = `${kept} of ${counted(turns, 'turn')} read by the small model (${counted(memories, 'memory')}), ${failed} failed, ${others}.`;
  const lines = [
    args.dryRun ? `The small model would read ${counted(turns, 'turn')}. Free: nothing is sent.` : read,
    ...(stopped ? [`Stopped: ${[stopped.why, stopped.next].filter(Boolean).join('. Next: ')}`] : []),
  ];
  if (options['json']) screen.json(report);
  else screen.print(lines.join('\n'));
  return stopped === undefined && failed === 0 ? EXIT.ok : EXIT.failed;
}

const STOPPED: Readonly<Record<NonNullable<DistillReport['stopped']>, string>> = {
  'no-consent':
    'This uses a model, which may cost money. Run it again with --yes, or allow it permanently: tidemark config set distill.consent true',
  'no-driver': 'No model is available, so the other turns were not tried.',
  ceiling:
    "Stopped at today's limit. Run it again tomorrow, or raise distill.dailyTokens or distill.dailyUsd.",
  cancelled: 'Stopped early. Run it again to continue.',
};

/** The next step for each failure; the keys are the reasons of src/distill/drivers/driver.ts and of a rejected reply. */
const NEXT: Readonly<Record<string, string>> = {
  missing: 'Install what is missing (tidemark doctor names it), then run tidemark distill again.',
  refused:
    'Log in with the agent that the driver uses, or give distill.driver api a valid key, then run tidemark distill again.',
  limited: 'The usage limit is reached. Wait until it resets, then run tidemark distill again.',
  overloaded: 'The model is overloaded. Run tidemark distill again in a few minutes.',
  unreachable: 'Check the network and distill.apiUrl, then run tidemark distill again.',
  'cut-off': 'The connection ended during the response. Run tidemark distill again.',
  'timed-out': 'The model took too long. Run tidemark distill again, or choose a faster one: distill.model.',
  died: 'Start the program once by hand to see why, then run tidemark distill again.',
  'no-answer': 'Run tidemark distill again. If it fails again, choose another model: distill.model.',
  'invalid-reply': 'The model did not answer in the requested form. Choose another one: distill.model.',
};

function problemLines({ problem }: DistillReport): readonly string[] {
  if (!problem) return [];
  const { driver, reason, message, next } = problem;
  return [
    `Last failure (${driver === 'none' ? 'no driver works' : driver}): ${message}.`,
    next ?? NEXT[reason] ?? 'Run tidemark distill again. See also: tidemark doctor',
  ];
}

function linesOf(report: DistillReport, dryRun: boolean): readonly string[] {
  const { expected, spent, driver } = report;
  if (report.turns === 0 && !report.problem) return ['No turns to improve.'];
  const price = driver === 'local' ? '' : ` with ${driver}`;
  const forecast = `${counted(report.turns, 'turn')} made without a language model. All of them${price}: at most about ${expected.tokens.toLocaleString('en')} tokens, ${dollars(expected.usd)}.`;
  if (dryRun || report.stopped === 'no-consent') {
    return [forecast, ...(report.stopped ? [STOPPED[report.stopped]] : [])];
  }
  return [
    `${report.improved} of ${counted(report.turns, 'turn')} improved (${counted(report.memories, 'memory')}), ${report.trivial} not worth a request, ${report.failed} failed.`,
    `Spent ${dollars(spent.usd)}: ${counted(spent.requests, 'request')}, ${spent.inputTokens.toLocaleString('en')} tokens in, ${spent.outputTokens.toLocaleString('en')} out.`,
    ...(report.stopped ? [STOPPED[report.stopped]] : []),
    ...problemLines(report),
  ];
}
