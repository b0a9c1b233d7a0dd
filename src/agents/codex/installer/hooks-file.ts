/**
 * Our entries in Codex's hooks.json. Codex asks its user to trust every entry, and again after any change of one, so an
 * entry depends on the data folder only and stays the same across versions. Pure.
 */
import type { HookName, Places } from '../../../core/index.ts';
import { hookCommand } from '../../installing/hook-wrapper.ts';
import {
  parseJson,
  withItems,
  withMember,
  withoutMatching,
  withoutMember,
} from '../../installing/json-text.ts';
import { isObject, objectsIn, textOf } from '../../reading/json.ts';

/** The name of our MCP server in Codex. */
export const SERVER = 'tidemark';
/** Its tool for hooks at tool calls (src/mcp). */
const TOOL = 'at_tool_call';

interface Entry {
  /** Codex's event. */
  readonly event: string;
  readonly group: object;
}

/** Codex's event → ours, with the seconds that Codex waits at most. It allows 3 s for the last two. */
const EVENTS: readonly (readonly [string, HookName, number])[] = [
  ['SessionStart', 'SessionStart', 10],
  ['UserPromptSubmit', 'UserPromptSubmit', 5],
  ['Stop', 'Stop', 5],
  ['SubagentStop', 'SubagentStop', 5],
  ['PreCompact', 'PreCompact', 5],
  ['SessionEnd', 'SessionEnd', 3],
  // Sent instead of Stop when the user interrupts a turn.
  ['Interrupt', 'Stop', 3],
];
/** A call of the MCP server takes 150 ms at most. */
const CALL_TIMEOUT_S = 2;

/** All entries, in the order in which they are added. Never change one without need: see above. */
export function ourEntries(places: Pick<Places, 'home'>): readonly Entry[] {
  const events = EVENTS.map(([event, hook, timeout]) => ({
    event,
    group: { hooks: [{ type: 'command', command: hookCommand(places, hook, 'codex'), timeout }] },
  }));
  const calls = [
    { event: 'PreToolUse', matcher: 'apply_patch|Bash' },
    { event: 'PostToolUse', matcher: 'Bash' },
  ].map(({ event, matcher }) => ({
    event,
    group: {
      matcher,
      hooks: [
        { type: 'mcp_tool', server: SERVER, tool: TOOL, input: inputOf(event), timeout: CALL_TIMEOUT_S },
      ],
    },
  }));
  return [...events, ...calls];
}

/** A variable that is missing in the hook's input fails the hook, so only those that are always there are named. */
function inputOf(hook: string): object {
  return {
    hook,
    tool: '${tool_name}',
    input: '${tool_input}',
    cwd: '${cwd}',
    session: '${session_id}',
    call: '${tool_use_id}',
  };
}

/** Whether a group of hooks.json is ours, of any version and data folder. */
export function isOurs(group: unknown): boolean {
  const hooks = isObject(group) ? objectsIn(group['hooks']) : [];
  return hooks.some(
    ({ command, server, tool }) =>
      /[/\\]agent\.sh"? \w+ codex$/.test(textOf(command) ?? '') || (server === SERVER && tool === TOOL),
  );
}

/** Adds missing entries and replaces outdated ones. The same text if nothing is to be done. Throws if it is not JSON. */
export function withOurs(text: string | null, entries: readonly Entry[]): string {
  let next = text ?? '{}\n';
  for (const event of new Set(entries.map((entry) => entry.event))) {
    const wanted = entries.filter((entry) => entry.event === event).map(({ group }) => group);
    const ours = groupsOf(next, event).filter(isOurs);
    if (JSON.stringify(ours) === JSON.stringify(wanted)) continue;
    const rest = ours.length > 0 ? withoutMatching(next, ['hooks', event], isOurs) : next;
    next =
      groupsOf(rest, event).length > 0
        ? withItems(rest, ['hooks', event], wanted)
        : withMember(rest, ['hooks', event], wanted);
  }
  return next;
}

/** Removes our entries, and lists and the object around them that are empty then. */
export function withoutOurs(text: string): string {
  let rest = text;
  for (const event of eventsIn(text)) {
    if (!groupsOf(rest, event).some(isOurs)) continue;
    rest = withoutMatching(rest, ['hooks', event], isOurs);
    if (groupsOf(rest, event).length === 0) rest = withoutMember(rest, ['hooks', event]);
    if (eventsIn(rest).length === 0) rest = withoutMember(rest, ['hooks']);
  }
  return rest;
}

/** Codex's name of a hook in its list of trusted ones, without the path of the file: `session_start:0:0`. */
export interface Placed {
  readonly event: string;
  readonly group: number;
  readonly isOurs: boolean;
}

/** Where the groups of each event are. */
export function placesInFile(text: string): readonly Placed[] {
  return eventsIn(text).flatMap((event) =>
    groupsOf(text, event).map((group, at) => ({ event: snakeCase(event), group: at, isOurs: isOurs(group) })),
  );
}

function snakeCase(event: string): string {
  return event.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
}

function eventsIn(text: string): readonly string[] {
  const { hooks } = objectOf(text);
  return isObject(hooks) ? Object.keys(hooks) : [];
}

function groupsOf(text: string, event: string): readonly unknown[] {
  const { hooks } = objectOf(text);
  const groups = isObject(hooks) ? hooks[event] : undefined;
  return Array.isArray(groups) ? groups : [];
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  const json = parseJson(text);
  return isObject(json) ? json : {};
}
