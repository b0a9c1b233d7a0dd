/** Every past session of Claude Code on this machine, newest first. */
import type { ImportProgress, ImportReport } from '../../daemon/index.ts';
import { claudeConfigDir } from '../../install/index.ts';
import { bar } from '../screen.ts';
import { JSON_OPTION, type Context, type Verb } from '../verb.ts';

export const importHistory: Verb = {
  name: 'import history',
  usage: 'import history [--project] [--since <date>] [--dry-run]',
  summary: 'Bring past Claude Code sessions in; free, resumable, never twice.',
  options: {
    project: { type: 'boolean', doc: 'Only sessions of the project this folder belongs to.' },
    since: { type: 'string', value: 'date', doc: 'Only sessions that went on after this day.' },
    'dry-run': { type: 'boolean', doc: 'Say what would be read, and read nothing.' },
    ...JSON_OPTION,
  },
  async run(context) {
    const { options, screen, client, cwd } = context;
    const { project } = options['project']
      ? await client.call<{ project: string | null }>('read.place', { dir: cwd })
      : { project: null };
    const report = await bringHistory(context, claudeConfigDir(context.env), {
      ...(typeof options['since'] === 'string' ? { since: options['since'] } : {}),
      ...(options['dry-run'] ? { dryRun: true } : {}),
      ...(project ? { project } : {}),
    });
    if (options['json']) return screen.json(report);
    screen.print(reportLines(report).join('\n'));
  },
};

/** Runs the import with a progress bar; Ctrl-C ends it cleanly, and the next run goes on from there. */
export async function bringHistory(
  { client, screen }: Context,
  configDir: string,
  args: Readonly<Record<string, unknown>> = {},
  signal?: AbortSignal,
): Promise<ImportReport> {
  const startedAt = Date.now();
  const report = await client.call<ImportReport>(
    'import.history',
    { configDir, ...args },
    (facts) => screen.progress(progressLine(facts as ImportProgress, startedAt)),
    signal,
  );
  screen.done();
  return report;
}

function progressLine(
  { done, total, bytes, totalBytes, turns, memories }: ImportProgress,
  startedAt: number,
): string {
  const seconds = Math.max(0.1, (Date.now() - startedAt) / 1000);
  const rate = bytes / seconds;
  const left = rate > 0 ? Math.ceil((totalBytes - bytes) / rate) : 0;
  return `${bar(bytes, totalBytes)}  ${done}/${total} sessions, ${turns} turns, ${memories} memories, ${left} s left`;
}

function reportLines(report: ImportReport): readonly string[] {
  return [
    `Read ${report.sessions} sessions of ${report.projects} projects: ${report.turns} new turns, ${report.memories} memories.`,
    ...(report.unfinished > 0
      ? [`${report.unfinished} unfinished turns are left to the sessions still running.`]
      : []),
    ...(report.skipped.length > 0 ? [`${report.skipped.length} files skipped:`] : []),
    ...report.skipped.slice(0, 5).map(({ path, reason }) => `  ${path}: ${reason}`),
    ...(report.cancelled ? ['Stopped early; run it again to go on.'] : []),
  ];
}
