/**
 * The files of our extension of Gemini CLI. The client loads every folder in its folder of extensions, whether it was
 * installed by command or not, and runs its hooks without a question. Pure.
 */
import { join } from 'node:path';
import { VERSION, type HookName, type Places } from '../../../core/index.ts';
import { COMMANDS } from '../../installing/commands.ts';
import { hookCommand, mcpCommand } from '../../installing/hook-wrapper.ts';
import type { OwnFile } from '../../installing/own-files.ts';
import { SKILL_NAME, SKILL_TEXT } from '../../installing/skill.ts';
import type { ToolHookName } from '../../wire/wire.ts';
import { namedCommand } from '../../reading/own-command.ts';

export const EXTENSION = 'tidemark';

/** The client's event, ours, the milliseconds that the client waits at most, and its matcher. */
const HOOKS: readonly (readonly [string, HookName | ToolHookName, number, string?])[] = [
  ['SessionStart', 'SessionStart', 3000],
  ['BeforeAgent', 'UserPromptSubmit', 2000],
  ['AfterTool', 'PostToolUse', 1000, '^read_file$'],
  ['AfterAgent', 'Stop', 2000],
  ['PreCompress', 'SessionStart', 3000, 'manual'],
  ['SessionEnd', 'SessionEnd', 2000],
];

/** The folder of the extension and its files. */
export function extensionFiles(folder: string, places: Pick<Places, 'home'>): readonly OwnFile[] {
  const at = (...names: readonly string[]): string => join(folder, ...names);
  return [
    { path: at('gemini-extension.json'), text: json(manifest(places)) },
    { path: at('hooks', 'hooks.json'), text: json({ hooks: hooksOf(places) }) },
    { path: at('skills', SKILL_NAME, 'SKILL.md'), text: SKILL_TEXT },
    ...COMMANDS.map(({ name, description, prompt }) => ({
      path: at('commands', 'tidemark', `${name}.toml`),
      text: `description = ${JSON.stringify(description)}\nprompt = '''\n${namedCommand(name, prompt)}\n'''\n`,
    })),
  ];
}

export const HOOK_COUNT = HOOKS.length;

function manifest(places: Pick<Places, 'home'>): object {
  const [command, ...args] = mcpCommand(places, 'gemini');
  return {
    name: EXTENSION,
    version: VERSION,
    description: 'A memory for coding agents that outlives the session',
    mcpServers: { tidemark: { command, args } },
  };
}

function hooksOf(places: Pick<Places, 'home'>): Readonly<Record<string, readonly object[]>> {
  return Object.fromEntries(
    HOOKS.map(([event, hook, timeout, matcher]) => [
      event,
      [
        {
          ...(matcher === undefined ? {} : { matcher }),
          hooks: [
            { name: EXTENSION, type: 'command', command: hookCommand(places, hook, 'gemini'), timeout },
          ],
        },
      ],
    ]),
  );
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
