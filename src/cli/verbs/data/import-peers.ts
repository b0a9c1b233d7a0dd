/** Imports memories of other tools: lists what is on this machine, and adds one verb per tool. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { claudeConfigDir, findSessions, sessionSources } from '../../../agents/index.ts';
import { given, type Agent } from '../../../core/index.ts';
import type { ArgsOf } from '../../../daemon/index.ts';
import {
  type PeerReport,
  detectPeers,
  peerReader,
  PEER_NAMES,
  type PeerFound,
  type PeerName,
} from '../../../exchange/import/index.ts';
import { titleOf } from '../../agent-option.ts';
import { pluginsOf, REPLACEABLE, turnOff } from '../../peer-plugins.ts';
import { bar, counted } from '../../screen.ts';
import { EXIT, flag, notFound, pathOf, usageError, value, type Context, type Verb } from '../../verb.ts';
import { onInterrupt, projectAsked, skippedLines, timeLeft } from './import-history.ts';

export const importList: Verb = {
  name: 'import',
  usage: 'import [history | markdown | <tool>]',
  summary: 'List past sessions and data of other memory tools on this machine.',
  async run({ args, options, env, cwd, screen }) {
    const [tool] = args;
    if (tool !== undefined)
      throw usageError(`unknown tool "${tool}"`, `Known: history, markdown, ${PEER_NAMES.join(', ')}`);
    const found = [...histories(env), ...detectPeers(env, homedir(), [cwd])];
    if (options['json']) return screen.json(found);
    if (found.length === 0) return screen.print('No past sessions and no data of other memory tools found.');
    for (const one of found) screen.print(foundLine(one));
    screen.say('Import one with: tidemark import <name> (preview with --dry-run)');
  },
};

/** The agents with past sessions; `import history` reads them all. */
function histories(env: NodeJS.ProcessEnv) {
  return sessionSources(env).flatMap(({ agent, folder: path }) => {
    const sessions = findSessions([{ agent, folder: path }]).files.length;
    return sessions > 0 ? [{ name: 'history', agent, path, counts: { sessions } }] : [];
  });
}

export const importPeers: readonly Verb[] = PEER_NAMES.map(verbOf);

function verbOf(name: PeerName): Verb {
  const title = peerReader(name)?.title ?? name;
  const api = name === 'evermem';
  return {
    name: `import ${name}`,
    usage: `import ${name} [--path <path>] [--project [folder]] [--into <folder>]${REPLACEABLE.includes(name) ? ' [--disable]' : ''} [--dry-run]`,
    summary: `Import the memories of ${title}; its files are only read.`,
    options: {
      path: value('path', 'The folder or file of its data, if it is not the default one.'),
      project: flag('Only one project: the folder given, or this one.'),
      into: value('folder', 'The project for memories without a folder on this machine.'),
      ...(REPLACEABLE.includes(name)
        ? { disable: flag('Turn its plugin off afterwards, if everything was imported.') }
        : {}),
      ...(api ? { local: flag('Do not read its cloud, even if EVERMEM_API_KEY is set.') } : {}),
      'dry-run': flag('Show what would be imported, and change nothing.'),
    },
    run: (context) => run(name, title, context),
  };
}

async function run(name: PeerName, title: string, context: Context): Promise<number> {
  const { options, env, screen } = context;
  const project = await projectAsked(context);
  const key = name === 'evermem' && !options['local'] ? env['EVERMEM_API_KEY'] : undefined;
  const found = sources(name, context);
  if (found.length === 0 && !key)
    throw notFound(`no data of ${title} found`, `If it is elsewhere: tidemark import ${name} --path <path>`);
  const api = {
    url: env['EVERMEM_API_URL'] || 'https://api.evermind.ai',
    key: key ?? '',
    user: env['EVERMEM_USER_ID'] || 'claude-code-user',
  };
  const dryRun = Boolean(options['dry-run']);
  const signal = onInterrupt();
  const report = await bringPeer(
    context,
    name,
    {
      found: found.length > 0 ? found : [{ name, path: api.url, counts: {} }],
      dryRun,
      ...project,
      ...given({ into: pathOf(context, 'into') }),
      ...(key ? { api } : {}),
    },
    { signal },
  ).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    screen.done();
    screen.say('Stopped. What was read so far is stored. Run it again to continue.');
    return undefined;
  });
  if (!report) return EXIT.failed;
  const off = options['disable'] && !dryRun ? await disabled(name, report, context) : [];
  if (options['json']) screen.json({ ...report, ...(options['disable'] ? { disabled: off } : {}) });
  else screen.print([...reportLines(report, title, dryRun), ...off].join('\n'));
  return isComplete(report) ? EXIT.ok : EXIT.failed;
}

/** Imports a tool's data with a progress bar, unless it is quiet. */
export async function bringPeer(
  { client, env, screen }: Context,
  peer: PeerName,
  args: Pick<ArgsOf<'import.peer'>, 'found'> & Partial<ArgsOf<'import.peer'>>,
  { signal, isQuiet = false }: { readonly signal?: AbortSignal; readonly isQuiet?: boolean } = {},
): Promise<PeerReport> {
  const startedAt = Date.now();
  const report = await client.call(
    'import.peer',
    { peer, configDir: claudeConfigDir(env), home: homedir(), dryRun: false, ...args },
    ({ done, total, memories }) => {
      if (isQuiet) return;
      const share = total > 0 ? done / total : 1;
      screen.progress(
        `${bar(done, total)}  ${done}/${total}, ${memories} memories, ${timeLeft(share, startedAt)}, free`,
      );
    },
    signal,
  );
  if (!isQuiet) screen.done();
  return report;
}

export function isComplete({ cancelled, skippedCount }: PeerReport): boolean {
  return !cancelled && skippedCount === 0;
}

/** Turns the tool off once all of its data is imported. */
async function disabled(name: PeerName, report: PeerReport, context: Context): Promise<readonly string[]> {
  if (!isComplete(report)) return [`${name} stays on, because not all of its data was imported.`];
  const plugins = pluginsOf(name, context);
  return plugins.length > 0 ? turnOff(plugins, context.env) : [`No plugin of ${name} is on.`];
}

function sources(name: PeerName, { options, env, cwd, args }: Context): readonly PeerFound[] {
  const path = options['path'];
  const folders = [cwd, ...args.map((folder) => resolve(cwd, folder))];
  if (typeof path !== 'string')
    return detectPeers(env, homedir(), folders).filter((one) => one.name === name);
  const found = peerReader(name)?.look(resolve(cwd, path));
  if (found) return [found];
  throw notFound(`there is no data of ${name} in ${path}`);
}

/** `claude-mem      2 sessions, 101 observations   ~/.claude-mem/claude-mem.db` */
export function foundLine({
  name,
  agent,
  path,
  counts,
  trouble,
}: Omit<PeerFound, 'name'> & { readonly name: string; readonly agent?: Agent }): string {
  const of = agent === undefined ? '' : `${titleOf(agent)}: `;
  const what = `${of}${amounts(counts) || (trouble ? '' : 'found')}`;
  return `${name.padEnd(14)} ${what}${trouble ? `cannot be read: ${trouble}` : ''}  ${path}`;
}

/** `1 session, 3 memories`; zero counts are omitted. */
export function amounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .flatMap(([many, n]) => (n > 0 ? [counted(n, many.replace(/ies$/, 'y').replace(/s$/, ''), many)] : []))
    .join(', ');
}

function reportLines(report: PeerReport, title: string, dryRun: boolean): readonly string[] {
  const { found, imported } = report;
  const list = (counts: PeerReport['found']): string => amounts({ ...counts }) || 'nothing';
  return [
    `${title}: ${list(found)} found.`,
    `${dryRun ? 'Would import' : 'Imported'}, free: ${list(imported)}${report.projects.length > 0 ? ` (${report.projects.join(', ')})` : ''}.`,
    ...(report.known > 0 ? [`${report.known} existed already.`] : []),
    ...(report.forgotten > 0 ? [`${report.forgotten} were forgotten and are not imported.`] : []),
    ...(report.left > 0
      ? [
          `${report.left} skipped: from other or ignored projects, from a pause, or prompts whose full conversation is still available (tidemark import history).`,
        ]
      : []),
    ...skippedLines(report.skipped, report.skippedCount),
    ...(report.cancelled ? ['Stopped early. Run it again to continue.'] : []),
  ];
}
