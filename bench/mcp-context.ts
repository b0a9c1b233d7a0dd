/**
 * Measures what the plugin adds to a session's context with the real client: the size of the first request without the MCP
 * server, with deferred tools (the default), with every schema in every request, and without the skill.
 *
 *   node bench/mcp-context.ts [--claude /path/to/claude] [--json]
 *
 * A mock replaces the model; nothing leaves the machine. Characters are exact; a token counts as four characters.
 */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { parseArgs } from 'node:util';
import { openStage } from '../test/support/claude.ts';
import { CLAUDE_CODE_VERSIONS, claudeCode } from '../test/support/parts.ts';

const root = resolve(import.meta.dirname, '..');
const CHARS_PER_TOKEN = 4;

const { values: options } = parseArgs({
  options: { claude: { type: 'string' }, json: { type: 'boolean', default: false } },
});

/** Each variant changes the plugin's folder a little. */
const VARIANTS = {
  'no server, no skill': (plugin: string) => {
    rmSync(join(plugin, '.mcp.json'));
    rmSync(join(plugin, 'skills'), { recursive: true });
  },
  'skill alone': (plugin: string) => rmSync(join(plugin, '.mcp.json')),
  'skill and server, deferred (as shipped)': () => {},
  'skill and server, every schema (`alwaysLoad`)': (plugin: string) => {
    const file = join(plugin, '.mcp.json');
    const json = JSON.parse(readFileSync(file, 'utf8')) as { mcpServers: { memory: object } };
    writeFileSync(
      file,
      JSON.stringify({ mcpServers: { memory: { ...json.mcpServers.memory, alwaysLoad: true } } }),
    );
  },
} as const;

await main();

async function main(): Promise<void> {
  const programs = await clients();
  const rows: { client: string; variant: string; characters: number; more: number }[] = [];
  for (const { version, path } of programs) {
    let before = 0;
    for (const [variant, change] of Object.entries(VARIANTS)) {
      const characters = await firstRequest(path, change);
      before ||= characters;
      rows.push({ client: version, variant, characters, more: characters - before });
    }
  }
  if (options.json) return console.log(JSON.stringify(rows, null, 2));
  console.log('| client | plugin with | first request, characters | more than without | about tokens |');
  console.log('|---|---|---|---|---|');
  for (const { client, variant, characters, more } of rows)
    console.log(
      `| ${client} | ${variant} | ${characters.toLocaleString('en-US')} | ${more.toLocaleString('en-US')} | ${Math.round(more / CHARS_PER_TOKEN).toLocaleString('en-US')} |`,
    );
}

async function clients(): Promise<readonly { readonly version: string; readonly path: string }[]> {
  if (options.claude) return [{ version: 'given', path: resolve(options.claude) }];
  // A script without types, named at run time.
  const parts: string = '../scripts/_parts.mjs';
  const { prepareParts } = (await import(parts)) as {
    prepareParts(suites: readonly string[], say: (text: string) => void): Promise<void>;
  };
  await prepareParts(['e2e'], (text) => console.error(text));
  return CLAUDE_CODE_VERSIONS.flatMap((version) => {
    const { path, skip } = claudeCode(version);
    if (skip) console.error(`${version}: ${skip}`);
    return skip ? [] : [{ version, path }];
  });
}

async function firstRequest(claude: string, change: (plugin: string) => void): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'ctx-'));
  const plugin = join(folder, 'plugin');
  cpSync(join(root, 'plugin'), plugin, { recursive: true, filter: (path) => !path.endsWith('/dist') });
  symlinkSync(join(root, 'plugin', 'dist'), join(plugin, 'dist'));
  change(plugin);
  const ends: (() => unknown)[] = [];
  // The stage needs only the `after` hook of a test context.
  const test = { after: (end: () => unknown) => void ends.push(end) } as unknown as TestContext;
  try {
    const stage = await openStage(test, { claude, plugin });
    const { requests } = await stage.run('Say it [[say hello]]');
    if (!existsSync(stage.config)) throw new Error('the client wrote nothing');
    return JSON.stringify(requests[0]).length;
  } finally {
    for (const end of ends.toReversed()) await end();
    rmSync(folder, { recursive: true, force: true });
  }
}
