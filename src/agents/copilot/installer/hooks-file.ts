/** Our hooks for Copilot: a file of our own, because the client reads every file in its folder of hooks. Pure. */
import type { HookName, Places } from '../../../core/index.ts';
import { hookCommand } from '../../installing/hook-wrapper.ts';

/** The client's event → ours, with the seconds that the client waits at most. The hook has budgets of its own. */
const EVENTS: readonly (readonly [string, HookName, number])[] = [
  ['SessionStart', 'SessionStart', 10],
  ['UserPromptSubmit', 'UserPromptSubmit', 5],
  ['Stop', 'Stop', 5],
  // No SessionStart follows a summary.
  ['PreCompact', 'SessionStart', 10],
  ['SessionEnd', 'SessionEnd', 5],
];
const READ_TIMEOUT_S = 2;
/** The client's name for its tool `view` in hooks of this style. */
export const READ_TOOL = 'Read';

/** One unknown type of hook would make the client reject the whole file, so there are only commands. */
export function hooksText(places: Pick<Places, 'home'>): string {
  const command = (hook: HookName | 'PostToolUse', timeoutSec: number): object => ({
    type: 'command',
    command: hookCommand(places, hook, 'copilot'),
    timeoutSec,
  });
  const events = EVENTS.map(([event, hook, timeout]) => [event, [command(hook, timeout)]] as const);
  const read = { matcher: READ_TOOL, ...command('PostToolUse', READ_TIMEOUT_S) };
  const hooks = { ...Object.fromEntries(events), PostToolUse: [read] };
  return `${JSON.stringify({ version: 1, hooks }, null, 2)}\n`;
}

export const HOOK_COUNT = EVENTS.length + 1;
