/** Folds old days of the journal into months. The daemon does the same once a day by itself. */
import { TidemarkError } from '../../../core/index.ts';
import { counted } from '../../screen.ts';
import { JSON_OPTION, type Verb } from '../../verb.ts';

interface Report {
  readonly days: number;
  readonly entries: number;
  readonly months: readonly string[];
  readonly skipped: readonly { readonly file: string; readonly reason: string }[];
}

export const archive: Verb = {
  name: 'archive',
  usage: 'archive [--days <n>] [--dry-run]',
  summary: 'Fold old days of the journal into one file a month; still searched, ids unchanged.',
  options: {
    days: {
      type: 'string',
      value: 'n',
      doc: 'Days older than this many (default: journal.archiveDays, 30).',
    },
    'dry-run': { type: 'boolean', doc: 'Say what would be folded, and do nothing.' },
    ...JSON_OPTION,
  },
  async run({ options, client, screen, places }) {
    const days = options['days'] === undefined ? undefined : Number(options['days']);
    if (days !== undefined && !(Number.isInteger(days) && days > 0))
      throw new TidemarkError('usage', `not a number of days: ${String(options['days'])}`);
    const dryRun = Boolean(options['dry-run']);
    const report = await client.call<Report>('archive', { ...(days ? { days } : {}), dryRun });
    if (options['json']) return screen.json(report);
    screen.print(reportLines(report, dryRun, places.journal).join('\n'));
  },
};

function reportLines(report: Report, dryRun: boolean, journal: string): readonly string[] {
  const { days, entries, months, skipped } = report;
  if (days + skipped.length === 0) return ['No day is old enough.'];
  return [
    `${dryRun ? 'Would fold' : 'Folded'} ${counted(days, 'day')} (${counted(entries, 'memory', 'memories')}) into ${counted(months.length, 'month')}${months.length > 0 ? ':' : '.'}`,
    ...months.map((month) => `  ${month}`),
    ...(skipped.length > 0 ? [`${counted(skipped.length, 'day')} left as they are (in ${journal}):`] : []),
    ...skipped.map(({ file, reason }) => `  ${file}: ${reason}`),
  ];
}
