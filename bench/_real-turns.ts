/**
 * Reads turns of real sessions for the benchmarks: Claude Code transcripts through the reader, and recorded sessions that
 * contain only the messages. Reads the given files; stores nothing of them.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { claudeCode } from '../src/agents/claude-code/index.ts';
import { given, type StoredTurn, type ToolCall } from '../src/core/index.ts';

/** A turn and the key of its label: file and uuid, or session and message. */
export interface KeyedTurn {
  readonly key: string;
  readonly turn: StoredTurn;
}

interface Message {
  readonly role: 'user' | 'agent';
  readonly text: string;
  readonly ts?: string;
}

interface RecordedSession {
  readonly id: string;
  readonly start?: string;
  readonly msgs: readonly Message[];
}

/** Reads every turn of every transcript in a folder, subagents included. Keys are `transcripts/<file>#<uuid>`. */
async function transcriptTurns(folder: string): Promise<readonly KeyedTurn[]> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  const found: KeyedTurn[] = [];
  for (const file of files) {
    for await (const { turn } of claudeCode.reader.readTurns(file)) {
      found.push({
        key: `transcripts/${relative(folder, file)}#${turn.id}`,
        turn: { ...turn, project: 'bench' },
      });
    }
  }
  return found;
}

/** Returns the turns with a user's prompt of the same transcripts, grouped by session. */
export async function transcriptSessions(folder: string): Promise<readonly (readonly KeyedTurn[])[]> {
  const turns = (await transcriptTurns(folder)).filter(({ turn }) => turn.origin === 'person');
  return [...Map.groupBy(turns, ({ turn }) => turn.session).values()];
}

/** Reads the turns of recorded sessions, by session. Keys are `coding/<session>#<index of the prompt's message>`. */
export function codingTurns(file: string): ReadonlyMap<string, readonly KeyedTurn[]> {
  const { sessions } = JSON.parse(readFileSync(file, 'utf8')) as { sessions: readonly RecordedSession[] };
  return new Map(sessions.map((session) => [session.id, turnsOf(session)]));
}

function turnsOf(session: RecordedSession): readonly KeyedTurn[] {
  const turns: KeyedTurn[] = [];
  session.msgs.forEach((message, at) => {
    if (message.role !== 'user' || message.text.trim() === '') return;
    const rest = session.msgs.slice(at + 1);
    const next = rest.findIndex((later) => later.role === 'user');
    const answers = next < 0 ? rest : rest.slice(0, next);
    const key = `coding/${session.id}#${at}`;
    turns.push({ key, turn: turnOf(session, message, answers, key) });
  });
  return turns;
}

function turnOf(
  session: RecordedSession,
  prompt: Message,
  answers: readonly Message[],
  key: string,
): StoredTurn {
  const startedAt = instant(prompt.ts ?? session.start);
  return {
    id: key,
    agent: 'claude-code',
    session: session.id,
    project: 'bench',
    origin: 'person',
    startedAt,
    endedAt: instant(answers.at(-1)?.ts ?? prompt.ts ?? session.start),
    outcome: answers.length > 0 ? 'answered' : 'open',
    prompt: prompt.text,
    answer: answers.map((message) => message.text).join('\n\n'),
    ...given({ report: answers.length > 1 ? answers.at(-1)?.text.length : undefined }),
    tools: callsBetween(answers, key),
    messages: [],
  };
}

/** Words of an agent that has changed files. */
const CHANGED =
  /(?:^|[.\n] *|\bI(?:['’]ve| have)?(?: now| also| just)? )(?:added|changed|updated|removed|fixed|implemented|rewrote|renamed|moved|wired|created|wrote|replaced|refactored|extracted|deleted|switched)\b/i;
const FILE = /`([\w./-]+\.[a-z]{1,5})(?::\d[\d-]*)?`/g;

/**
 * The recorded sessions have no tool calls, but an agent that speaks several times in a turn called tools in between. They
 * changed the files that it names if it says that it changed something.
 */
function callsBetween(answers: readonly Message[], key: string): readonly ToolCall[] {
  const hasChanged = answers.some(({ text }) => CHANGED.test(text));
  const named = answers.flatMap(({ text }) => [...text.matchAll(FILE)].map(([, file = '']) => file));
  return answers.slice(1).map((_, i, { length }) => ({
    id: `${key}.${i}`,
    name: 'unknown',
    status: 'ok',
    errors: [],
    read: [],
    edited: hasChanged && i === length - 1 ? [...new Set(named)].slice(0, MOST_FILES) : [],
  }));
}

const MOST_FILES = 8;

/** `2026-01-16 16:48:38Z` → ISO 8601. */
function instant(text = ''): string {
  const at = new Date(text.replace(' ', 'T'));
  return Number.isNaN(at.valueOf()) ? '2026-01-01T00:00:00.000Z' : at.toISOString();
}
