/**
 * Our extension for Qwen Code: a folder of our own with hooks, MCP server, skill and commands, which the client loads without
 * an entry in any other file. Pure.
 */
import { join } from 'node:path';
import { VERSION, type HookName, type Places } from '../../../core/index.ts';
import { COMMANDS } from '../../installing/commands.ts';
import { hookCommand, mcpCommand } from '../../installing/hook-wrapper.ts';
import type { OwnFile } from '../../installing/own-files.ts';
import { SKILL_NAME, SKILL_TEXT } from '../../installing/skill.ts';
import { namedCommand } from '../../reading/own-command.ts';

/** The name of the extension and of its folder. Our plugin for Claude Code has the same, so both cannot be installed. */
export const EXTENSION = 'tidemark';
/** A file that the client adds to extensions that it installed itself. */
export const INSTALLED_MARK = '.qwen-extension-install.json';

/** Seconds that the client waits at most. The hook has budgets of its own. */
const EVENTS: readonly (readonly [HookName, number])[] = [
  ['SessionStart', 10],
  ['UserPromptSubmit', 5],
  ['Stop', 5],
  ['SubagentStop', 5],
  ['PreCompact', 5],
  ['SessionEnd', 5],
];
const READ_TIMEOUT_S = 2;
/** The client's tool that reads a file. */
const READ_TOOL = 'read_file';

export const HOOK_COUNT = EVENTS.length + 1;

export function extensionFiles(folder: string, places: Pick<Places, 'home'>): readonly OwnFile[] {
  const [command, ...args] = mcpCommand(places, 'qwen');
  const manifest = {
    name: EXTENSION,
    version: VERSION,
    description: 'A memory for coding agents that outlives the session.',
    mcpServers: { [EXTENSION]: { command, args } },
  };
  return [
    { path: join(folder, 'qwen-extension.json'), text: printed(manifest) },
    { path: join(folder, 'hooks', 'hooks.json'), text: printed({ hooks: hooksOf(places) }) },
    { path: join(folder, 'skills', SKILL_NAME, 'SKILL.md'), text: SKILL_TEXT },
    // The client names a command by its folder: /tidemark:search.
    ...COMMANDS.map(({ name, description, prompt }) => ({
      path: join(folder, 'commands', EXTENSION, `${name}.md`),
      text: `---\ndescription: ${description}\n---\n${namedCommand(name, prompt)}\n`,
    })),
  ];
}

function hooksOf(places: Pick<Places, 'home'>): object {
  const group = (hook: HookName | 'PostToolUse', timeout: number, matcher = {}): object => ({
    ...matcher,
    hooks: [{ type: 'command', command: hookCommand(places, hook, 'qwen'), timeout }],
  });
  const events = EVENTS.map(([hook, timeout]) => [hook, [group(hook, timeout)]] as const);
  const read = group('PostToolUse', READ_TIMEOUT_S, { matcher: READ_TOOL });
  return { ...Object.fromEntries(events), PostToolUse: [read] };
}

function printed(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
