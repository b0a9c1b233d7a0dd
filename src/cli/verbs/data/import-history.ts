/** Imports past sessions of all agents on this machine, newest first. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { sessionSources, type SessionSource } from '../../../agents/index.ts';
import { given, TidemarkError } from '../../../core/index.ts';
import type { ArgsOf } from '../../../daemon/index.ts';
import {
  type AgentCounts,
  type ImportProgress,
  type ImportReport,
  type SkippedFile,
} from '../../../exchange/import/index.ts';
import { agentOption, agentsAsked, titleOf } from '../../agent-option.ts';
import { bar, counted, size } from '../../screen.ts';
import { EXIT, flag, notFound, sinceOf, usageError, value, type Context, type Verb } from '../../verb.ts';

/** No one reads more lines than this; `--json` lists more. */
const SHOWN_SKIPPED = 10;
/** Leaves room for time, cost and rate in 80 columns. */
const BAR = 16;

export const importHistory: Verb = {
  name: 'import history',
  usage:
    'import history [--session [id] | --project [folder] | --all] [--agent <name>] [--since <when>] [--dry-run]',
  summary: 'Import past sessions of all your agents. Free; run it again at any time to continue.',
  options: {
    session: flag('Only one session: the id given, or inside Claude Code the running one.'),
    project: flag('Only sessions of one project: the folder given, or this one.'),
    all: flag('Sessions of every project (the default).'),
    agent: agentOption('Only sessions of this agent.'),
    since: value('when', 'Only sessions that were active since then: 3d, 2w, 1m or 2026-11-01.'),
    'dry-run': flag('Show what would be read, and read nothing.'),
  },
  examples: [
    'tidemark import history --since 2026-10-01',
    'tidemark import history --project ~/code/shop',
    'tidemark import history --agent codex --dry-run',
  ],
  async run(context) {
    const { options, screen, env } = context;
    const wanted = options['session'] ? sessionAsked(context) : await projectAsked(context);
    const sources = sessionSources(env, agentsAsked(context));
    const since = sinceOf(options);
    const dryRun = Boolean(options['dry-run']);
    const report = await bringHistory(
      context,
      sources,
      { ...given({ since }), ...(dryRun ? { dryRun } : {}), ...wanted },
      onInterrupt(),
    ).catch(stoppedEarly);
    if (!report) return EXIT.failed;
    if ('session' in wanted && report.total === 0) throw noSession(wanted.session, sources);
    const isNew = !dryRun && report.turns > 0;
    const keeping = isNew ? await keepingLine(context) : undefined;
    if (options['json']) screen.json(report);
    else screen.print([...reportLines(report, dryRun), ...(keeping ? [keeping] : [])].join('\n'));
    return report.cancelled || report.skipped.some(({ damaged }) => damaged) ? EXIT.failed : EXIT.ok;

    function stoppedEarly(error: unknown): undefined {
      screen.done();
      if ((error as { code?: unknown }).code !== 'interrupted') throw error;
      screen.say('Stopped. What was read so far is stored. Run it again to continue.');
    }
  },
};

/** Runs the import with a progress bar. Ctrl-C ends it cleanly, and the next run continues. */
export async function bringHistory(
  { client, screen }: Context,
  sources: readonly SessionSource[],
  args: Omit<ArgsOf<'import.history'>, 'sources'> = {},
  signal?: AbortSignal,
): Promise<ImportReport> {
  const startedAt = Date.now();
  const report = await client
    .call(
      'import.history',
      { sources, ...args },
      (facts) => {
        if (isRecentDone(facts)) {
          screen.done();
          screen.say(recentLine(facts));
        }
        screen.progress(progressLine(facts, startedAt));
      },
      signal,
    )
    .catch((error: unknown) => {
      throw signal?.aborted ? new TidemarkError('interrupted', 'stopped', { cause: error }) : error;
    });
  screen.done();
  return report;
}

/** Aborts at the first Ctrl-C; the second ends the program. */
export function onInterrupt(): AbortSignal {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  return stop.signal;
}

/** Returns the session of `--session`: the start of an id, or inside Claude Code the running one. */
function sessionAsked({ options, args, env }: Context): { readonly session: string } {
  if (options['project'] || options['all'])
    throw usageError('use only one of --session, --project and --all');
  const session = args[0] ?? env['CLAUDE_CODE_SESSION_ID'];
  if (session) return { session };
  throw usageError(
    'no session given',
    'Inside Claude Code the running one is used; elsewhere: tidemark import history --session <id>',
  );
}

function noSession(session: string, sources: readonly SessionSource[]): TidemarkError {
  const [only] = sources;
  const who = sources.length === 1 && only ? `${titleOf(only.agent)} has no` : 'no agent has a';
  return notFound(
    `${who} session ${session} on this machine`,
    'See what there is: tidemark import history --dry-run',
  );
}

/** Returns the project of `--project`: a folder, or a project by id or name. Empty without the option. */
export async function projectAsked({
  options,
  args,
  cwd,
  client,
}: Context): Promise<{ readonly project?: string; readonly projectDir?: string }> {
  const [named] = args;
  if (!options['project']) {
    if (named === undefined) return {};
    throw usageError(`unexpected argument "${named}"`, `For one project: --project ${named}`);
  }
  if (options['all']) throw usageError('use only one of --project and --all');
  const dir = named === undefined ? cwd : resolve(cwd, named);
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return { projectDir: dir };
  const projects = await client.call('read.projects', {});
  const found = projects.find(({ id, name }) => id === named || name === named);
  if (found) return { project: found.id };
  throw notFound(`there is no folder or project "${named}"`, 'List them: tidemark projects');
}

export function skippedLines(
  skipped: readonly Omit<SkippedFile, 'damaged'>[],
  count: number,
): readonly string[] {
  if (count === 0) return [];
  const more = count - Math.min(count, SHOWN_SKIPPED);
  return [
    `${count} skipped:`,
    ...skipped
      .slice(0, SHOWN_SKIPPED)
      .map(({ path, line, reason }) => `  ${path}${line === undefined ? '' : `:${line}`}: ${reason}`),
    ...(more > 0 ? [`  and ${more} more (--json lists them)`] : []),
  ];
}

export function timeLeft(share: number, startedAt: number): string {
  const seconds = (Date.now() - startedAt) / 1000;
  const left = share > 0 ? Math.ceil((seconds / share) * (1 - share)) : 0;
  return left >= 120 ? `${Math.round(left / 60)} min left` : `${left} s left`;
}

/** Whether the last of the recent sessions was just read with something new, and older ones follow. */
function isRecentDone({ done, recent, total, turns }: ImportProgress): boolean {
  return turns > 0 && done === recent && recent < total;
}

function recentLine({ recent, total, turns, memories }: ImportProgress): string {
  return `The ${counted(recent, 'session')} of the last 30 days: ${counted(turns, 'new turn')}, ${counted(memories, 'memory')}. ${counted(total - recent, 'older one')} follow; Ctrl-C pauses.`;
}

/** The progress of an import, for `screen.progress`. */
export function progressLine(
  { done, total, bytes, totalBytes, turns, memories, agent }: ImportProgress,
  startedAt: number,
): string {
  const seconds = Math.max(0.1, (Date.now() - startedAt) / 1000);
  const rate = `${Math.round(turns / seconds)} turns/s, ${(bytes / 1024 / 1024 / seconds).toFixed(1)} MB/s`;
  const left = timeLeft(totalBytes > 0 ? bytes / totalBytes : 1, startedAt);
  // A narrow terminal cuts off the end, so the least important facts come last.
  const of = agent === undefined ? '' : ` (${titleOf(agent)})`;
  return `${bar(bytes, totalBytes, BAR)}  ${left}, free, ${done}/${total} sessions${of}, ${rate}, ${turns} turns, ${memories} memories`;
}

function reportLines(report: ImportReport, dryRun: boolean): readonly string[] {
  const { agents } = report;
  if (dryRun)
    return [
      `${counted(report.sessions, 'session')} of ${counted(report.projects, 'project')} would be read, ${report.unread} of them new or longer (${size(report.unreadBytes)}). Free: nothing is sent.`,
      ...agentLines(agents).map((line) => `  ${line}`),
      ...skippedLines(report.skipped, report.skippedCount),
    ];
  return [
    `Read ${counted(report.sessions, 'session')} of ${counted(report.projects, 'project')}: ${counted(report.turns, 'new turn')}, ${counted(report.memories, 'memory')}. Free: nothing was sent.`,
    ...(agents.length > 1 ? byAgent(agents, newIn).map((line) => `  ${line}`) : []),
    `  ${counted(report.found, 'turn')} found, ${report.found - report.turns} of them known already`,
    ...(report.subagents > 0 ? [`  ${report.subagents} of the new ones are from subagents`] : []),
    ...(report.interrupted > 0 ? [`  ${report.interrupted} of the new ones were interrupted`] : []),
    ...(report.system > 0 ? [`  ${report.system} messages written by the client itself skipped`] : []),
    ...(report.unfinished > 0
      ? [`  ${counted(report.unfinished, 'unfinished turn')} of running sessions skipped`]
      : []),
    ...skippedLines(report.skipped, report.skippedCount),
    ...(report.cancelled ? ['Stopped early. Run it again to continue.'] : []),
  ];
}

/** `Codex        12 sessions, 8.1 MB, 3 of them new or longer (2.0 MB)` */
export function agentLines(agents: readonly AgentCounts[]): readonly string[] {
  return byAgent(agents, ({ sessions, bytes, unread, unreadBytes }) => {
    const fresh = unread === 0 ? 'all known' : `${unread} of them new or longer (${size(unreadBytes)})`;
    return `${counted(sessions, 'session')}, ${size(bytes)}, ${fresh}`;
  });
}

function newIn({ sessions, turns, memories }: AgentCounts): string {
  return `${counted(sessions, 'session')}, ${counted(turns, 'new turn')}, ${counted(memories, 'memory')}`;
}

function byAgent(agents: readonly AgentCounts[], line: (one: AgentCounts) => string): readonly string[] {
  const width = Math.max(0, ...agents.map(({ agent }) => titleOf(agent).length));
  return agents.map((one) => `${titleOf(one.agent).padEnd(width)}  ${line(one)}`);
}

/** Tells that the memories so far are the first ones: the small model has not read all turns yet. */
export async function keepingLine({ client }: Pick<Context, 'client'>): Promise<string | undefined> {
  const keeping = await client.call('keep.health', {}).catch(() => undefined); // the import succeeds without it
  if (!keeping || keeping.model === null || keeping.waiting === 0) return undefined;
  return `The small model on this machine is still reading ${counted(keeping.waiting, 'turn')}, in the background and free. Progress: tidemark status`;
}
