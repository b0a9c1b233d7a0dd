/**
 * Measures wall and CPU time per hook event, next to a bare shell, Node and curl, in one interleaved run.
 *
 *   node bench/hooks.ts [--n 50] [--json] [--peers cases.json] [--agents] [--up]
 *
 * `--up` leaves out the hooks whose daemon is down or hangs, which take most of the time.
 * `--agents` measures the hooks of all other agents instead.
 * `--peers` names a file with hooks of other tools, which get the same events; README.md describes its format.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { release, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { HookName, Places } from '../src/core/index.ts';
import { commandCases, pluginRoundTrips } from './_agents.ts';
import { measureEdits, type EditSummary } from './_edits.ts';
import { commit, machine } from './_facts.ts';
import { dataHash, inputOf, placed } from './_events.ts';
import { interleaved, type Case, type Summary } from './_measure.ts';
import { peersIn } from './_peers.ts';
import { promptInput, readingDaemon, readings } from './_reading.ts';
import { Served, takeDown } from './_served.ts';

/** Pause after each hook, so that work it started in the background does not overlap with the next measurement. */
const SETTLE_MS = 150;

/** The rows beside it are for a daemon whose answers wait for no model. */
const WITHOUT_MODEL = { TIDEMARK_EMBED_DRIVER: 'none' };

const WITH_DAEMON = ['SessionStart', 'UserPromptSubmit', 'Stop', 'SessionEnd'] as const;
const WITHOUT_ANSWER = ['UserPromptSubmit', 'Stop'] as const;

const root = resolve(import.meta.dirname, '..');
const { values: options } = parseArgs({
  options: {
    n: { type: 'string', default: '50' },
    json: { type: 'boolean', default: false },
    peers: { type: 'string' },
    agents: { type: 'boolean', default: false },
    up: { type: 'boolean', default: false },
  },
});

await main();

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hb-'));
  const served = new Served(folder);
  try {
    if (options.agents) return await agentsOnly(folder, served);
    const reading = await readingPlaces(folder, served);
    const summaries = await interleaved(await cases(folder, served, reading), Number(options.n));
    const read = reading && (await readings(reading));
    const edits = await editsOf(folder, served);
    console.log(
      options.json
        ? JSON.stringify({ ...facts(), summaries, read, edits }, null, 2)
        : markdown(summaries, edits, read),
    );
  } finally {
    served.close();
    await delay(SETTLE_MS);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function agentsOnly(folder: string, served: Served): Promise<void> {
  const { cwd } = placed(folder);
  const plugin = join(root, 'plugin');
  const around = {
    places: await served.real('up', join(plugin, 'dist', 'daemon.cjs'), WITHOUT_MODEL),
    plugin,
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, TMPDIR: folder },
    cwd,
    after: () => delay(SETTLE_MS),
  };
  const n = Number(options.n);
  const input = (): string => '';
  const scale = { name: '`node -e 0`', command: ['node', '-e', '0'], env: around.env, cwd, input };
  const summaries = await interleaved([scale, ...commandCases(around)], n);
  const trips = await pluginRoundTrips(around, n);
  if (options.json) return console.log(JSON.stringify({ ...facts(), summaries, trips }, null, 2));
  const inside = trips.map(({ name, wallMedian, wallP95 }) => {
    const times = [wallMedian, wallP95].map((ms) => ms.toFixed(1)).join(' | ');
    return `| ${name} (no process) | ${times} | | | ${n} |`;
  });
  console.log([...table(summaries), ...inside, ...failures(summaries)].join('\n'));
}

async function editsOf(folder: string, served: Served): Promise<readonly EditSummary[]> {
  const dist = join(root, 'plugin', 'dist');
  if (!existsSync(join(dist, 'daemon.cjs'))) return [];
  const places = await served.real('edits', join(dist, 'daemon.cjs'), WITHOUT_MODEL);
  return measureEdits(places, join(dist, 'mcp.cjs'), join(folder, 'project'), Number(options.n));
}

/** A daemon with the small model loaded; none where the model or the program is missing. */
async function readingPlaces(folder: string, served: Served): Promise<Places | undefined> {
  const program = join(root, 'plugin', 'dist', 'daemon.cjs');
  if (!existsSync(program) || !existsSync(join(root, 'plugin', 'model', 'model.json'))) return undefined;
  return readingDaemon(served, program, placed(folder).cwd);
}

async function cases(folder: string, served: Served, reading: Places | undefined): Promise<Case[]> {
  if (!existsSync(join(root, 'plugin', 'dist', 'hook.cjs')))
    throw new Error('the programs are not built. Run `npm run build` first.');
  const place = placed(folder);
  const { cwd } = place;
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, TMPDIR: folder, CLAUDE_PROJECT_DIR: cwd };
  const settle = (): Promise<void> => delay(SETTLE_MS);
  const bare = await served.played('bare', false);
  const program = join(root, 'plugin', 'dist', 'daemon.cjs');
  const isReal = existsSync(program);
  const up = isReal ? await served.real('up', program, WITHOUT_MODEL) : await served.played('up', false);
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
    command: ['sh', '-c', commandOf(from, event)],
    env: { ...env, TIDEMARK_HOME: places.home, CLAUDE_PLUGIN_ROOT: from },
    cwd,
    input: inputOf(event, place),
    after: settle,
    ...more,
  });
  const curl = `curl -q -sS --data-binary @- --unix-socket ${bare.socket} http://localhost/`.split(' ');
  const daemon = isReal ? 'daemon up' : 'played daemon up';
  const afterFallback = async (): Promise<void> => {
    await takeDown(down);
    rmSync(hung.leaveAlone, { force: true });
    await settle();
  };
  const input = inputOf('Stop', place);
  const withoutDaemon = (): readonly Case[] => [
    ...WITHOUT_ANSWER.map((event) =>
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
  ];
  return [
    { name: '`sh -c true`', command: ['sh', '-c', 'true'], env, cwd, input },
    { name: '`node -e 0`', command: ['node', '-e', '0'], env, cwd, input },
    { name: 'bare `curl` to a Unix socket', command: curl, env, cwd, input },
    ...WITH_DAEMON.map((event) => hook(daemon, plugin, event, up)),
    ...(reading
      ? [hook('small model loaded', plugin, 'UserPromptSubmit', reading, { input: promptInput(place) })]
      : []),
    ...(options.up ? [] : withoutDaemon()),
    ...(options.peers ? peersIn(options.peers, env, place) : []),
  ];
}

/** As hooks.json has it: the client gives it to a shell. */
function commandOf(plugin: string, event: HookName): string {
  const { hooks } = JSON.parse(readFileSync(join(plugin, 'hooks', 'hooks.json'), 'utf8')) as {
    hooks: Record<HookName, readonly [{ readonly hooks: readonly [{ readonly command: string }] }]>;
  };
  return hooks[event][0].hooks[0].command;
}

function facts(): { readonly commit: string; readonly data: string; readonly machine: string } {
  const curl = execFileSync('curl', ['-q', '--version'], { encoding: 'utf8' }).split(' ')[1];
  return {
    commit: commit(),
    data: dataHash(),
    machine: `${machine()}, ${process.platform} ${release()}, curl ${curl}`,
  };
}

/** Facts of the run and a table of hooks. */
function table(summaries: readonly Summary[]): readonly string[] {
  const about = facts();
  const row = (summary: Summary): string => {
    const times = [summary.wallMedian, summary.wallP95, summary.cpuMedian, summary.cpuP95];
    return `| ${summary.name} | ${times.map((ms) => ms.toFixed(1)).join(' | ')} | ${summary.n} |`;
  };
  return [
    `Commit ${about.commit}, data ${about.data}. ${about.machine}.`,
    '',
    '| milliseconds per event | wall median | wall p95 | CPU median | CPU p95 | n |',
    '|---|---|---|---|---|---|',
    ...summaries.map(row),
  ];
}

function markdown(
  summaries: readonly Summary[],
  edits: readonly EditSummary[],
  read: Awaited<ReturnType<typeof readings>> | undefined,
): string {
  return [
    ...table(summaries),
    ...failures(summaries),
    ...(read
      ? [
          '',
          `Small model: of ${read.prompts} prompts ${read.recalled} got memories, ${read.read} of them one that the model had read in time.`,
        ]
      : []),
    '',
    '| no process: milliseconds per tool call | wall median | wall p95 | CPU mean of the MCP server | answered | n |',
    '|---|---|---|---|---|---|',
    ...edits.map(({ name, wallMedian, wallP95, cpuMean, told, n }) => {
      const times = [wallMedian, wallP95, cpuMean].map((ms) => ms.toFixed(1)).join(' | ');
      return `| ${name} | ${times} | ${told} | ${n} |`;
    }),
  ].join('\n');
}

function failures(summaries: readonly Summary[]): string[] {
  const failed = summaries.filter((summary) => summary.failed > 0);
  if (failed.length === 0) return [];
  const list = failed.map((summary) => `${summary.name}: ${summary.failed} of ${summary.n}`);
  return ['', `Did not exit with 0: ${list.join('; ')}.`];
}
