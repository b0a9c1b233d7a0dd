/** A home to install into: the client on the PATH, settings with other entries, past sessions. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { openStage, PLUGIN, ROOT, type Stage } from './claude.ts';
import { runProgram, type Ran } from './run-program.ts';
import { waitFor } from './wait-for.ts';

/** Another plugin, a hook, odd indentation, Windows line ends, no newline at the end. */
export const SETTINGS =
  '{\r\n   "enabledPlugins" : {"other@elsewhere": true},\r\n\t"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]},\r\n  "permissions": {"allow": ["Bash(ls:*)"]}}';

/** Opens a stage whose PATH has the client, with settings that are not ours. */
export async function openInstallStage(t: TestContext, claude: string): Promise<Stage> {
  const stage = await openStage(t, { claude, plugin: null });
  const bin = join(stage.home, 'bin');
  mkdirSync(bin);
  symlinkSync(claude, join(bin, 'claude'));
  writeFileSync(join(stage.config, 'settings.json'), SETTINGS);
  cpSync(join(PLUGIN, 'sample', 'projects'), join(stage.config, 'projects'), { recursive: true });
  return stage;
}

export function tidemark(
  stage: Stage,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  return runProgram(process.execPath, [join(ROOT, 'bin', 'tidemark'), ...args], {
    cwd: stage.project,
    env: stage.env({ PATH: pathOf(stage), ...env }),
  });
}

/** Gives a program a terminal; only the one of util-linux has these options. */
const hasScript = (spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '').includes(
  'util-linux',
);

/** The reason to skip a test at a terminal; undefined if it can run. */
export const NO_TERMINAL = hasScript ? undefined : 'script of util-linux is not installed';

/** Runs a verb at a terminal and types each answer when `prompt` is shown once more. Returns the screen. */
export async function atTerminal(
  stage: Stage,
  args: readonly string[],
  answers: readonly string[],
  prompt: RegExp | string,
): Promise<string> {
  const command = `stty cols 200; '${process.execPath}' '${join(ROOT, 'bin', 'tidemark')}' ${args.join(' ')}`;
  const terminal = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: stage.project,
    env: stage.env({ PATH: pathOf(stage) }),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => void terminal.on('close', resolve));
  let screen = '';
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => (screen += text));
  for (const [n, answer] of answers.entries()) {
    await waitFor(`question ${n + 1}`, () => screen.split(prompt).length > n + 1, {
      explain: () => screen,
    });
    terminal.stdin.write(answer);
  }
  assert.equal(await ended, 0, screen);
  return screen;
}

/** One line without colours. */
export function flat(screen: string): string {
  // oxlint-disable-next-line no-control-regex
  return screen.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '').replace(/\s+/g, ' ');
}

/** The stage's own clients, without the folders where a developer's own agents are. */
function pathOf(stage: Stage): string {
  return [join(stage.home, 'bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter);
}

export function settingsOf(stage: Stage): string {
  return readFileSync(join(stage.config, 'settings.json'), 'utf8');
}

/** Returns the folder of the client's own copy of the plugin. */
export function installPath(stage: Stage): string {
  const record = readFileSync(join(stage.config, 'plugins', 'installed_plugins.json'), 'utf8');
  const { plugins } = JSON.parse(record) as { plugins: Record<string, { installPath: string }[]> };
  const [installed] = plugins['tidemark@tidemark'] ?? [];
  assert.ok(installed, record);
  return installed.installPath;
}

/** Returns the files of the client that still name the plugin, except its record of past questions. */
export function tracesIn(stage: Stage): readonly string[] {
  const plugins = join(stage.config, 'plugins');
  return readdirSync(plugins, { recursive: true, encoding: 'utf8' }).filter((name) => {
    if (name.includes('tidemark')) return true;
    return name.endsWith('.json') && readFileSync(join(plugins, name), 'utf8').includes('tidemark');
  });
}

export async function succeed(stage: Stage, ...args: string[]): Promise<void> {
  const { code, stdout, stderr } = await stage.claude(args);
  assert.equal(code, 0, `claude ${args.join(' ')}\n${stdout}${stderr}`);
}
