/** A home to install into: the client on the PATH, settings with other entries, past sessions. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';
import { openStage, PLUGIN, ROOT, type Stage } from '../support/claude.ts';
import { runProgram, type Ran } from '../support/run-program.ts';

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
  const path = [join(stage.home, 'bin'), stage.env()['PATH']].join(delimiter);
  return runProgram(process.execPath, [join(ROOT, 'bin', 'tidemark'), ...args], {
    cwd: stage.project,
    env: stage.env({ PATH: path, ...env }),
  });
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
