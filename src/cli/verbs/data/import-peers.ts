/** Brings the memory of other tools along: what is found on this machine, and one verb per tool. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { claudeConfigDir } from '../../../agents/index.ts';
import { TidemarkError } from '../../../core/index.ts';
import {
  type PeerProgress,
  type PeerReport,
  detectPeers,
  listTranscripts,
  peerReader,
  PEER_NAMES,
  type PeerFound,
  type PeerName,
} from '../../../exchange/import/index.ts';
import { bar, counted } from '../../screen.ts';
import { EXIT, JSON_OPTION, type Context, type Verb } from '../../verb.ts';
import { onInterrupt, projectAsked, skippedLines, timeLeft } from './import-history.ts';

export const importList: Verb = {
  name: 'import',
  usage: 'import [history | <tool>]',
  summary: 'List what past sessions and other memory tools left on this machine.',
  options: { ...JSON_OPTION },
  async run({ args, options, env, cwd, screen }) {
    const [tool] = args;
    if (tool !== undefined)
      throw new TidemarkError('usage', `nothing is known of "${tool}"`, {
        hint: `Known: history, ${PEER_NAMES.join(', ')}`,
      });
    const configDir = claudeConfigDir(env);
    const sessions = listTranscripts(configDir).length;
    const found = [
      ...(sessions > 0 ? [{ name: 'history', path: join(configDir, 'projects'), counts: { sessions } }] : []),
      ...detectPeers(env, homedir(), [cwd]),
    ];
    if (options['json']) return screen.json(found);
    if (found.length === 0)
      return screen.print('No past session and nothing of another memory tool was found here.');
    for (const one of found) screen.print(foundLine(one));
    screen.say('Bring one along with: tidemark import <name> (--dry-run says first what would come)');
  },
};

export const importPeers: readonly Verb[] = PEER_NAMES.map(verbOf);

function verbOf(name: PeerName): Verb {
  const title = peerReader(name)?.title ?? name;
  const api = name === 'evermem';
  return {
    name: `import ${name}`,
    usage: `import ${name} [--path <path>] [--project [folder]] [--into <folder>] [--dry-run]`,
    summary: `Bring along what ${title} remembers; its own files are only read.`,
    options: {
      path: { type: 'string', value: 'path', doc: 'Where its data lies, if not where it usually does.' },
      project: {
        type: 'boolean',
        doc: 'Only what belongs to one project: that of the folder named, or of this one.',
      },
      into: { type: 'string', value: 'folder', doc: 'The project for what names no folder of this machine.' },
      ...(api
        ? { local: { type: 'boolean', doc: 'Leave its cloud alone, also where EVERMEM_API_KEY is set.' } }
        : {}),
      'dry-run': { type: 'boolean', doc: 'Say what would come, and change nothing.' },
      ...JSON_OPTION,
    },
    run: (context) => run(name, title, context),
  };
}

async function run(name: PeerName, title: string, context: Context): Promise<number> {
  const { options, env, cwd, client, screen } = context;
  const project = await projectAsked(context);
  const key = name === 'evermem' && !options['local'] ? env['EVERMEM_API_KEY'] : undefined;
  const found = sources(name, context);
  if (found.length === 0 && !key)
    throw new TidemarkError('not-found', `no data of ${title} was found`, {
      hint: `If it lies elsewhere: tidemark import ${name} --path <path>`,
    });
  const into = options['into'];
  const api = {
    url: env['EVERMEM_API_URL'] || 'https://api.evermind.ai',
    key: key ?? '',
    user: env['EVERMEM_USER_ID'] || 'claude-code-user',
  };
  const startedAt = Date.now();
  const signal = onInterrupt();
  const report = await client
    .call<PeerReport>(
      'import.peer',
      {
        peer: name,
        found: found.length > 0 ? found : [{ name, path: api.url, counts: {} }],
        configDir: claudeConfigDir(env),
        home: homedir(),
        dryRun: Boolean(options['dry-run']),
        ...project,
        ...(typeof into === 'string' ? { into: resolve(cwd, into) } : {}),
        ...(key ? { api } : {}),
      },
      (facts) => {
        const { done, total, memories } = facts as PeerProgress;
        const share = total > 0 ? done / total : 1;
        screen.progress(
          `${bar(done, total)}  ${done}/${total}, ${memories} memories, ${timeLeft(share, startedAt)}, free`,
        );
      },
      signal,
    )
    .catch((error: unknown) => {
      if (!signal.aborted) throw error;
      screen.done();
      screen.say('Stopped. What was read is kept; run it again to go on.');
      return undefined;
    });
  if (!report) return EXIT.failed;
  screen.done();
  if (options['json']) screen.json(report);
  else screen.print(reportLines(report, title, Boolean(options['dry-run'])).join('\n'));
  return report.cancelled || report.skippedCount > 0 ? EXIT.failed : EXIT.ok;
}

function sources(name: PeerName, { options, env, cwd, args }: Context): readonly PeerFound[] {
  const path = options['path'];
  const folders = [cwd, ...args.map((folder) => resolve(cwd, folder))];
  if (typeof path !== 'string')
    return detectPeers(env, homedir(), folders).filter((one) => one.name === name);
  const found = peerReader(name)?.look(resolve(cwd, path));
  if (found) return [found];
  throw new TidemarkError('not-found', `nothing of ${name} lies at ${path}`);
}

/** `claude-mem      2 sessions, 101 observations   ~/.claude-mem/claude-mem.db` */
export function foundLine({
  name,
  path,
  counts,
  trouble,
}: Omit<PeerFound, 'name'> & { readonly name: string }): string {
  const told = amounts(counts) || (trouble ? '' : 'found');
  return `${name.padEnd(14)} ${told}${trouble ? `cannot be read: ${trouble}` : ''}  ${path}`;
}

/** `1 session, 3 memories`: what there is none of is left out. */
export function amounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .flatMap(([many, n]) => (n > 0 ? [counted(n, many.replace(/ies$/, 'y').replace(/s$/, ''), many)] : []))
    .join(', ');
}

function reportLines(report: PeerReport, title: string, dryRun: boolean): readonly string[] {
  const { found, imported } = report;
  const told = (counts: PeerReport['found']): string => amounts({ ...counts }) || 'nothing';
  return [
    `${title}: ${told(found)} found.`,
    `${dryRun ? 'Would come' : 'Brought'} in, free: ${told(imported)}${report.projects.length > 0 ? ` (${report.projects.join(', ')})` : ''}.`,
    ...(report.known > 0 ? [`${report.known} here already.`] : []),
    ...(report.forgotten > 0 ? [`${report.forgotten} stay away: they were forgotten.`] : []),
    ...(report.left > 0
      ? [
          `${report.left} left out: of other or ignored projects, said during a pause, or prompts whose whole conversation is still here (tidemark import history).`,
        ]
      : []),
    ...skippedLines(report.skipped, report.skippedCount),
    ...(report.cancelled ? ['Stopped early; run it again to go on.'] : []),
  ];
}
