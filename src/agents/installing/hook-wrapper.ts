/**
 * The hook command of agents other than Claude Code: a script in the data folder whose path and text never change, so that
 * an update of Tidemark changes no settings. It finds the program that was installed last. Some agents ask their user to
 * trust every change of a hook.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent, HookName, Places } from '../../core/index.ts';
import type { ToolHookName } from '../wire/wire.ts';
import { putFiles } from './own-files.ts';

/** Never change this text: see above. `program` holds the path of the folder `dist` beside `hooks`. */
const TEXT = `# Tidemark's hook for agents: finds the installed program and runs its hook. Always exits 0.
home=\${0%/*}
program=
[ -r "$home/program" ] && IFS= read -r program <"$home/program"
hook=\${program%/dist}/hooks/hook.sh
[ -n "$program" ] && [ -r "$hook" ] && TIDEMARK_HOME=$home exec sh "$hook" "$@"
exit 0
`;

export function wrapperPath({ home }: Pick<Places, 'home'>): string {
  return join(home, 'agent-hook.sh');
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

function quoted(path: string): string {
  return `"${path.replace(/["$`\\]/g, '\\$&')}"`;
}
