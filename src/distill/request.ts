/**
 * Builds the requests to a model, within size limits. Pure. A request never grows with the session, contains only
 * redacted text, and marks the recording as data.
 */
import { type Memory, type StoredTurn, type ToolCall, storedText } from '../core/index.ts';
import { fence, redact } from '../privacy/index.ts';
import { LOW_VALUE_TOOLS } from './admission.ts';
import type { DistillInput } from './distiller.ts';
import type { DriverRequest } from './drivers/driver.ts';
import {
  DIGEST_LABEL,
  SUMMARY_AS_TEXT,
  SUMMARY_SCHEMA,
  SUMMARY_SYSTEM,
  SUMMARY_TASK,
  TURN_AS_TEXT,
  TURN_LABEL,
  TURN_SCHEMA,
  TURN_SYSTEM,
  TURN_TASK,
} from './prompts.ts';
import { editedFiles, readFiles } from './rules/files.ts';

/** In characters unless noted. Prompt and answer have the limits of the stored text: 2,000 and 4,000. */
const CAPS = {
  tools: 40, // calls; the first and the last ones of a long turn
  toolLine: 160,
  errorLine: 200,
  allTools: 5000,
  known: 12, // titles
  title: 120,
  files: 30, // names
  digestTurns: 25,
  digestPrompt: 240,
  digestMemories: 40,
} as const;

export function turnRequest({ turn, recent, root }: DistillInput): DriverRequest {
  const text = storedText(turn);
  const tools = toolLines(turn, root);
  const recording = [
    `outcome: ${turn.outcome}`,
    section('The person', text.user),
    section('What the agent did', tools),
    section('The agent', text.assistant),
  ];
  const known = recent
    .filter((memory) => memory.provenance.turn !== turn.id)
    .slice(0, CAPS.known)
    .map((memory) => `- ${memory.kind}: ${cut(memory.title, CAPS.title)}`);
  const body = [
    ...(known.length > 0 ? [section('Known titles', known.join('\n'))] : []),
    ...recording,
  ].filter((part) => part !== '');
  return {
    session: turn.session,
    system: TURN_SYSTEM,
    prompt: `${fence(redact(body.join('\n\n')).text, TURN_LABEL)}\n\n${TURN_TASK}`,
    schema: TURN_SCHEMA,
    asText: TURN_AS_TEXT,
  };
}

/** Contains only the prompts, memories and files of a session: all of it would grow without bound. */
export function summaryRequest(
  session: string,
  turns: readonly StoredTurn[],
  memories: readonly Memory[],
  root?: string,
): DriverRequest {
  const own = turns.filter((turn) => turn.origin === 'person');
  const prompts = ends(own, CAPS.digestTurns).map(
    (turn) => `- ${oneLine(storedText(turn).user, CAPS.digestPrompt)} (${turn.outcome})`,
  );
  const kept = memories
    .slice(0, CAPS.digestMemories)
    .map(
      (memory) =>
        `- ${memory.kind}${memory.state === 'current' ? '' : ` (${memory.state})`}: ${cut(memory.title, CAPS.title)}`,
    );
  const list = (pick: typeof readFiles) =>
    [...new Set(turns.flatMap((turn) => pick(turn, root)))].slice(0, CAPS.files).join('\n');
  const last = own.at(-1);
  const body = [
    section('What the person asked, in order', prompts.join('\n')),
    section('What was written down', kept.join('\n')),
    section('Files read', list(readFiles)),
    section('Files edited', list(editedFiles)),
    section('The last answer', last ? storedText(last).assistant : ''),
  ].filter((part) => part !== '');
  return {
    session,
    system: SUMMARY_SYSTEM,
    prompt: `${fence(redact(body.join('\n\n')).text, DIGEST_LABEL)}\n\n${SUMMARY_TASK}`,
    schema: SUMMARY_SCHEMA,
    asText: SUMMARY_AS_TEXT,
  };
}

function toolLines(turn: StoredTurn, root: string | undefined): string {
  const base = root ?? turn.cwd;
  const calls = turn.tools.filter((tool) => !LOW_VALUE_TOOLS.includes(tool.name));
  const lines = ends(calls, CAPS.tools).map((tool) => toolLine(tool, base));
  const left = calls.length > CAPS.tools ? [`(${calls.length - CAPS.tools} more calls in between)`] : [];
  return cut([...lines, ...left].join('\n'), CAPS.allTools);
}

function toolLine(tool: ToolCall, base: string | undefined): string {
  const about = within(tool.command ?? tool.target ?? '', base);
  const outcome =
    tool.status === 'ok' || tool.status === 'unknown'
      ? ''
      : ` → ${tool.status}${tool.exit === undefined ? '' : ` ${tool.exit}`}`;
  const errors = tool.errors
    .slice(0, 2)
    .map((line) => `\n    ${oneLine(within(line, base), CAPS.errorLine)}`);
  return `- ${tool.name} ${oneLine(about, CAPS.toolLine)}${outcome}${errors.join('')}`;
}

/** The first and the last items: the beginning shows the aim, the end the result. */
function ends<T>(items: readonly T[], limit: number): readonly T[] {
  if (items.length <= limit) return items;
  const head = Math.ceil(limit / 3);
  return [...items.slice(0, head), ...items.slice(head - limit)];
}

function section(title: string, text: string): string {
  return text === '' ? '' : `## ${title}\n${text}`;
}

/** Removes the machine's own folder from paths. */
function within(text: string, base: string | undefined): string {
  return base ? text.replaceAll(`${base}/`, '') : text;
}

function oneLine(text: string, limit: number): string {
  return cut(text.replace(/\s+/g, ' ').trim(), limit);
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
