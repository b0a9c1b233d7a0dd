/**
 * Rewrites the plugin's two files that name a program for Windows: there may be no `sh`, and `curl` cannot use a named
 * pipe, so Node runs dist/hook.cjs and dist/mcp.cjs directly. Hooks have `args` here, because one string would need a
 * quoting that Git Bash, PowerShell and cmd.exe all read. A client that ignores `args` starts a bare Node, for which
 * the event on stdin is a syntax error: it runs nothing. Pure.
 */

interface Command {
  readonly command?: string;
  readonly args?: readonly string[];
}

const HOOK_COMMAND = /^sh "\$\{CLAUDE_PLUGIN_ROOT\}\/hooks\/hook\.sh" (\w+)$/;
const HOOK_PROGRAM = '${CLAUDE_PLUGIN_ROOT}/dist/hook.cjs';
const CLI_SCRIPT = '${CLAUDE_PLUGIN_ROOT}/bin/tidemark';
const MCP_PROGRAM = '${CLAUDE_PLUGIN_ROOT}/dist/mcp.cjs';

/** `node`: the Node that the installer found; the PATH of a session may contain none. */
export function pluginFile(name: string, text: string, platform: NodeJS.Platform, node: string): string {
  if (platform !== 'win32') return text;
  switch (name.replaceAll('\\', '/')) {
    case 'plugin/hooks/hooks.json':
    case 'plugin/.mcp.json':
      return `${JSON.stringify(translated(JSON.parse(text), node), null, 2)}\n`;
    default:
      return text;
  }
}

function translated(value: unknown, node: string): unknown {
  if (Array.isArray(value)) return value.map((one) => translated(one, node));
  if (typeof value !== 'object' || value === null) return value;
  const { command, args } = value as Command;
  const event = typeof command === 'string' ? HOOK_COMMAND.exec(command)?.[1] : undefined;
  if (event) return { ...value, command: node, args: [HOOK_PROGRAM, event] };
  if (command === 'sh' && args?.[0] === CLI_SCRIPT)
    return { ...value, command: node, args: [MCP_PROGRAM, ...args.slice(2)] };
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, translated(inner, node)]));
}
