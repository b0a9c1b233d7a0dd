/**
 * Measures the start of the CLI and the MCP server next to a bare Node, in one interleaved run, until they answered and
 * exited. Runs each once before, to check its answer.
 *
 *   node bench/startup.ts [--n 30] [--json] [--beside server.cjs]
 *
 * `--beside` names the program of another MCP server, which gets the same requests: for example one made with the official SDK.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { commit, machine } from './_facts.ts';
import { interleaved, type Case, type Summary } from './_measure.ts';
import { Served } from './_served.ts';

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'plugin', 'dist');
const sample = join(root, 'plugin', 'sample');
const { values: options } = parseArgs({
  options: {
    n: { type: 'string', default: '30' },
    json: { type: 'boolean', default: false },
    beside: { type: 'string' },
  },
});

/** The requests of Claude Code at start: server/discover, the handshake, tools/list. */
const OPENING = [
  { id: 1, method: 'server/discover', params: { _meta: meta('2026-07-28') } },
  {
    id: 2,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'bench', version: '1' },
    },
  },
  { method: 'notifications/initialized' },
  { id: 3, method: 'tools/list' },
]
  .map((message) => JSON.stringify({ jsonrpc: '2.0', ...message }))
  .join('\n');
/** Long enough for the daemon to close its stores. */
const LEAVE_MS = 500;

interface Started extends Case {
  /** Pattern of the expected output. */
  readonly prints: RegExp;
}

await main();

async function main(): Promise<void> {
  if (!existsSync(join(dist, 'mcp.cjs')))
    throw new Error('the programs are not built. Run `npm run build` first.');
  const folder = mkdtempSync(join(tmpdir(), 'sb-'));
  const served = new Served(folder);
  try {
    const { home } = await served.real('data', join(dist, 'daemon.cjs'));
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder, TMPDIR: folder, TIDEMARK_HOME: home };
    const cases = casesIn(folder, env);
    run([process.execPath, join(dist, 'cli.cjs'), 'import', 'history'], {
      ...env,
      CLAUDE_CONFIG_DIR: sample,
    });
    for (const { name, command, input, prints } of cases)
      assert.match(run(command, env, input()), prints, `${name} does not answer`);
    const summaries = await interleaved(cases, Number(options.n));
    console.log(options.json ? JSON.stringify({ facts: facts(), summaries }, null, 2) : markdown(summaries));
  } finally {
    served.close();
    await delay(LEAVE_MS);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function casesIn(cwd: string, env: Readonly<Record<string, string>>): readonly Started[] {
  const node = (name: string, args: readonly string[], prints: RegExp, input = ''): Started => ({
    name,
    command: [process.execPath, ...args],
    env,
    cwd,
    input: () => input,
    prints,
  });
  const tools = /"tools":\[/;
  return [
    node('`node -e 0`', ['-e', '0'], /^$/),
    node('`tidemark --version`', [join(dist, 'cli.cjs'), '--version'], /^\d/),
    node('`tidemark search`, daemon up', [join(dist, 'cli.cjs'), 'search', '--all', 'berth'], /berth/i),
    node('`tidemark mcp` to tools/list', [join(dist, 'mcp.cjs')], tools, OPENING),
    {
      ...node('the same, as Claude Code starts it', [], tools, OPENING),
      command: ['sh', join(root, 'plugin', 'bin', 'tidemark'), 'mcp'],
    },
    ...(options.beside ? [node('beside it', [resolve(options.beside)], tools, OPENING)] : []),
  ];
}

function run(
  [command = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
  input = '',
): string {
  const ended = spawnSync(command, args, { env, input: `${input}\n`, encoding: 'utf8' });
  assert.equal(ended.status, 0, ended.stderr);
  return ended.stdout;
}

function meta(version: string): object {
  const prefix = 'io.modelcontextprotocol/';
  return {
    [`${prefix}protocolVersion`]: version,
    [`${prefix}clientInfo`]: { name: 'bench', version: '1' },
    [`${prefix}clientCapabilities`]: {},
  };
}

function facts(): string {
  return `Commit ${commit()}, data ${sampleHash()}. ${machine()}.`;
}

function sampleHash(): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(sample, { recursive: true, encoding: 'utf8' }).toSorted())
    if (name.endsWith('.jsonl')) hash.update(readFileSync(join(sample, name)));
  return hash.digest('hex').slice(0, 12);
}

function markdown(summaries: readonly Summary[]): string {
  const row = ({ name, wallMedian, wallP95, cpuMedian, cpuP95, n }: Summary): string =>
    `| ${name} | ${[wallMedian, wallP95, cpuMedian, cpuP95].map((ms) => ms.toFixed(1)).join(' | ')} | ${n} |`;
  return [
    facts(),
    '',
    '| milliseconds | wall median | wall p95 | CPU median | CPU p95 | n |',
    '|---|---|---|---|---|---|',
    ...summaries.map(row),
  ].join('\n');
}
