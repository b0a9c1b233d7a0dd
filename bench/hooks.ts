/**
 * What a hook costs: wall and CPU per event, beside a bare shell, a bare Node and a bare curl, in one interleaved run.
 *
 *   node bench/hooks.ts [--n 50] [--json] [--peers cases.json]
 *
 * `--peers` names a JSON list of {"name", "command": [..], "env"?: {..}}: other tools' hooks, given the same events.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { HookName, Places } from '../src/model/index.ts';
import { interleaved, type Case, type Summary } from './_measure.ts';
import { Served, takeDown } from './_served.ts';

/** After the fallback a detached process is still starting; it must not run into the next measurement. */
const SETTLE_MS = 150;

const root = resolve(import.meta.dirname, '..');
const { values: options } = parseArgs({
  options: {
    n: { type: 'string', default: '50' },
    json: { type: 'boolean', default: false },
    peers: { type: 'string' },
  },
});

await main();

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hb-'));
  const served = new Served(folder);
  try {
    const summaries = await interleaved(await cases(folder, served), Number(options.n));
    console.log(options.json ? JSON.stringify({ ...facts(), summaries }, null, 2) : markdown(summaries));
  } finally {
    served.close();
    await delay(SETTLE_MS);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function cases(folder: string, served: Served): Promise<Case[]> {
  if (!existsSync(join(root, 'plugin', 'dist', 'hook.cjs')))
    throw new Error('nothing is built: run `npm run build` first');
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, TMPDIR: folder, CLAUDE_PROJECT_DIR: folder };
  const bare = await served.played('bare', false);
  const program = join(root, 'plugin', 'dist', 'daemon.cjs');
  const isReal = existsSync(program);
  const up = isReal ? await served.real('up', program) : await served.played('up', false);
  const hung = await served.played('hung', true);
  const down = served.home('down');
  const plugin = join(root, 'plugin');
  const halfPlugin = join(folder, 'plugin');
  cpSync(join(plugin, 'hooks'), join(halfPlugin, 'hooks'), { recursive: true });
  cpSync(join(plugin, 'dist', 'hook.cjs'), join(halfPlugin, 'dist', 'hook.cjs'));
  writeFileSync(join(halfPlugin, 'dist', 'daemon.cjs'), '');

  const hook = (
    name: string,
    from: string,
    event: HookName,
    places: Places,
    more: Partial<Case> = {},
  ): Case => ({
    name: `${event}, ${name}`,
    command: ['sh', join(from, 'hooks', 'hook.sh'), event],
    env: { ...env, TIDEMARK_HOME: places.home },
    input: inputOf(event),
    ...more,
  });
  const curl = `curl -q -sS --data-binary @- --unix-socket ${bare.socket} http://localhost/`.split(' ');
  const daemon = isReal ? 'daemon up' : 'played daemon up';
  const afterFallback = async (): Promise<void> => {
    await takeDown(down);
    rmSync(hung.leaveAlone, { force: true });
    await delay(SETTLE_MS);
  };
  const all = (['SessionStart', 'UserPromptSubmit', 'Stop'] as const).map((event) =>
    hook(daemon, plugin, event, up),
  );
  return [
    { name: '`sh -c true`', command: ['sh', '-c', 'true'], env, input: inputOf('Stop') },
    { name: '`node -e 0`', command: ['node', '-e', '0'], env, input: inputOf('Stop') },
    { name: 'bare `curl` to a Unix socket', command: curl, env, input: inputOf('Stop') },
    ...all,
    ...(['UserPromptSubmit', 'Stop'] as const).map((event) =>
      hook('daemon down: spooled', halfPlugin, event, down, { after: afterFallback }),
    ),
    ...(isReal
      ? [
          hook('daemon down: started, answer waited for', plugin, 'SessionStart', down, {
            after: afterFallback,
          }),
        ]
      : []),
    ...(['SessionStart', 'UserPromptSubmit', 'Stop'] as const).map((event) =>
      hook('daemon hung: given up, spooled', halfPlugin, event, hung, { after: afterFallback }),
    ),
    ...peers(env),
  ];
}

function peers(env: Readonly<Record<string, string>>): Case[] {
  if (!options.peers) return [];
  type Peer = Pick<Case, 'name' | 'command'> & { env?: Record<string, string> };
  const list = JSON.parse(readFileSync(options.peers, 'utf8')) as Peer[];
  return list.map((peer) => ({ ...peer, env: { ...env, ...peer.env }, input: inputOf('Stop') }));
}

/** About 2 KB, as real ones are. */
function inputOf(event: HookName): string {
  return JSON.stringify({
    session_id: '00000000-0000-4000-8000-000000000000',
    transcript_path: '/nowhere/transcript.jsonl',
    cwd: '/nowhere',
    hook_event_name: event,
    ...(event === 'SessionStart' ? { source: 'startup' } : {}),
    ...(event === 'UserPromptSubmit'
      ? { prompt: 'Why does the refresh token rotate on every use? '.repeat(40) }
      : {}),
    ...(event === 'Stop'
      ? { last_assistant_message: 'It rotates so that a stolen one is noticed. '.repeat(40) }
      : {}),
  });
}

function facts(): { readonly commit: string; readonly machine: string } {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const dirty = git('status', '--porcelain', '--', 'src', 'plugin', 'bench') === '' ? '' : ' (changed since)';
  const curl = execFileSync('curl', ['-q', '--version'], { encoding: 'utf8' }).split(' ')[1];
  const [cpu] = cpus();
  const machine = [
    `${cpus().length} × ${cpu?.model.trim()}`,
    `${Math.round(totalmem() / 2 ** 30)} GB`,
    `${process.platform} ${release()}`,
    `Node ${process.versions.node}`,
    `curl ${curl}`,
    `load ${loadavg()[0]?.toFixed(1)}`,
  ];
  return { commit: git('rev-parse', '--short', 'HEAD') + dirty, machine: machine.join(', ') };
}

function markdown(summaries: readonly Summary[]): string {
  const { commit, machine } = facts();
  const row = (summary: Summary): string => {
    const times = [summary.wallMedian, summary.wallP95, summary.cpuMedian, summary.cpuP95];
    return `| ${summary.name} | ${times.map((ms) => ms.toFixed(1)).join(' | ')} | ${summary.n} |`;
  };
  return [
    `Commit ${commit}. ${machine}.`,
    '',
    '| milliseconds per event | wall median | wall p95 | CPU median | CPU p95 | n |',
    '|---|---|---|---|---|---|',
    ...summaries.map(row),
  ].join('\n');
}
