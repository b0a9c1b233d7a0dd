/**
 * The command of agents other than Claude Code, for hooks and the MCP server: a script in the data folder whose path and text
 * never change, so that an update of Tidemark changes no settings. It finds the program that was installed last. Some agents
 * ask their user to trust every change of a hook.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent, HookName, Places } from '../../core/index.ts';
import type { ToolHookName } from '../wire/wire.ts';
import { putFiles } from './own-files.ts';

/** Never change this text: see above. `program` holds the path of the folder `dist` beside `hooks`. */
const TEXT = `# Tidemark for agents: finds the installed program and runs its MCP server, or its hook, which always exits 0.
home=\${0%/*}
program=
[ -r "$home/program" ] && IFS= read -r program <"$home/program"
case \${1-} in
  mcp) part=bin/tidemark ;;
  *) part=hooks/hook.sh ;;
esac
[ -n "$program" ] && [ -r "\${program%/dist}/$part" ] &&
  TIDEMARK_HOME=$home exec sh "\${program%/dist}/$part" "$@"
exit 0
`;

export function wrapperPath({ home }: Pick<Places, 'home'>): string {
  return join(home, 'agent.sh');
}

/** Writes the script if it is missing or damaged. */
export function putWrapper(places: Pick<Places, 'home'>): void {
  putFiles([{ path: wrapperPath(places), text: TEXT }]);
}

export function removeWrapper(places: Pick<Places, 'home'>): void {
  rmSync(wrapperPath(places), { force: true });
}

/** The command of a hook entry: one string for a shell, because some agents ignore separate arguments. */
export function hookCommand(
  places: Pick<Places, 'home'>,
  hook: HookName | ToolHookName,
  agent: Agent,
): string {
  return `sh ${quoted(wrapperPath(places))} ${hook} ${agent}`;
}

/** The command of the MCP server, for clients that take arguments. */
export function mcpCommand(places: Pick<Places, 'home'>, agent: Agent): readonly [string, ...string[]] {
  return ['sh', wrapperPath(places), 'mcp', '--agent', agent];
}

function quoted(path: string): string {
  return `"${path.replace(/["$`\\]/g, '\\$&')}"`;
}
