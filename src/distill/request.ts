/**
 * Builds the requests to a model, within size limits. Pure. A request never grows with the session, contains only
 * redacted text, and marks the recording as data.
 */
import {
  editedFiles,
  type Memory,
  readFiles,
  spokenText,
  storedText,
  type StoredTurn,
  type ToolCall,
  withoutNotes,
} from '../core/index.ts';
import { fence, redact } from '../privacy/index.ts';
import { LOW_VALUE_TOOLS } from './admission.ts';
import type { DistillInput } from './distiller.ts';
import type { DriverRequest } from './drivers/driver.ts';
import {
  RECORDED_LABEL,
  SUMMARY_AS_TEXT,
  SUMMARY_SCHEMA,
  SUMMARY_SYSTEM,
  SUMMARY_TASK,
  TURN_AS_TEXT,
  TURN_SCHEMA,
  TURN_SYSTEM,
  TURN_TASK,
} from './prompts.ts';
import { importantLines } from './proof.ts';

/** In characters unless noted. */
const CAPS = {
  prompt: 2400,
  answer: 4400,
  previousPrompt: 200,
  previousAnswer: 1400,
  /** A longer prompt says itself what it is about. */
  answersPrevious: 240,
  tools: 40, // calls; the first and the last ones of a long turn
  toolLine: 160,
  outputLine: 160,
  outputLines: 3, // lines
  allTools: 5600,
  remembered: 24, // entries
  title: 140,
  files: 30, // names
  digestTurns: 25,
  digestPrompt: 240,
  digestMemories: 40,
} as const;

export interface TurnRequest extends DriverRequest {
  /** The ids behind the names that the request gives to memories. */
  readonly names: ReadonlyMap<string, string>;
}

/** `noted`: what the agent noted in this turn, already stored. */
export function turnRequest(
  { turn, previous, related, root }: DistillInput,
  noted: readonly Memory[] = [],
): TurnRequest {
  const entries = related.slice(0, CAPS.remembered).toSorted((a, b) => (a.at < b.at ? -1 : 1));
  const names = new Map([
    ...entries.map((memory, i) => [`m${i + 1}`, memory.id] as const),
    ...noted.map((memory, i) => [`n${i + 1}`, memory.id] as const),
  ]);
  const prompt = spokenText(turn.prompt);
  const body = [
    section('Remembered', entries.map((memory, i) => entryLine(`m${i + 1}`, memory)).join('\n')),
    previous && prompt.length <= CAPS.answersPrevious ? previousTurn(previous) : '',
    turn.outcome === 'answered' ? '' : `outcome of the turn: ${turn.outcome}`,
    section('The user', bothEnds(prompt, CAPS.prompt)),
    section('What the agent did', toolLines(turn, root)),
    section('The agent', bothEnds(spokenText(withoutNotes(turn.answer)), CAPS.answer)),
    section(
      'Noted by the agent, stored already',
      noted.map((memory, i) => entryLine(`n${i + 1}`, memory)).join('\n'),
    ),
  ].filter((part) => part !== '');
  return {
    session: turn.session,
    system: TURN_SYSTEM,
    prompt: `${fence(redact(body.join('\n\n')).text, RECORDED_LABEL)}\n\n${TURN_TASK}`,
    schema: TURN_SCHEMA,
    asText: TURN_AS_TEXT,
    names,
  };
}

function entryLine(name: string, { kind, state, title, at }: Memory): string {
  return `${name} ${at.slice(0, 10)} ${state === 'open' ? 'open ' : ''}${kind}: ${cut(title, CAPS.title)}`;
}

/** Renders the turn that a short prompt may answer: "B", "the first one", "then we leave it". */
function previousTurn(turn: StoredTurn): string {
  const prompt = oneLine(spokenText(turn.prompt), CAPS.previousPrompt);
  const answer = bothEnds(spokenText(withoutNotes(turn.answer)), CAPS.previousAnswer);
  return section('The turn before', `user: ${prompt}\nagent: ${answer}`);
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
    prompt: `${fence(redact(body.join('\n\n')).text, RECORDED_LABEL)}\n\n${SUMMARY_TASK}`,
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
  const shows = tool.status !== 'ok' || tool.command !== undefined;
  const lines = shows ? importantLines(tool, CAPS.outputLines) : [];
  const output = lines.map((line) => `\n    ${oneLine(within(line, base), CAPS.outputLine)}`);
  return `- ${tool.name} ${oneLine(about, CAPS.toolLine)}${outcome}${output.join('')}`;
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

/** The beginning says what it is about, the end how it came out. */
function bothEnds(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const tail = Math.floor(limit / 3);
  const start = text.slice(0, limit - tail).replace(/[\uD800-\uDBFF]$/, '');
  return `${start}\n[… ${text.length - limit} characters left out …]\n${text.slice(-tail).replace(/^[\uDC00-\uDFFF]/, '')}`;
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
