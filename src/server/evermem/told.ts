/**
 * An exchange → what is kept of it. The local distiller reads it; its clients send no tool calls, so where it finds
 * nothing to keep in an exchange that says something, question and answer themselves are the memory. Pure.
 */
import { given, memoryId, shortHash, type MemoryDraft, type StoredTurn } from '../../core/index.ts';
import { admit, localDistiller } from '../../distill/index.ts';
import type { WireEntry } from '../../exchange/sync/index.ts';
import { plainLine, plainText } from '../../privacy/index.ts';
import type { Exchange } from './exchanges.ts';

/** One name for all of them: which machine it was, their format does not say. */
const MACHINE = 'evermem';
/** As much of an answer as is read when it comes back; the client cuts what it sends at 4,000. */
const EXCERPT_CHARS = 1200;
const TITLE_CHARS = 90;
const MOST_MESSAGES = 20;
const TURN_HASH = 20;
const TRUNCATED = /\n*\[\.\.\. (?:content )?truncated[^\]]*\]\s*$/;

export interface Circumstances {
  readonly project: string;
  readonly member: string;
  /** The session whose start was reported last, where one was. */
  readonly session: string;
}

export async function entriesOf(
  exchange: Exchange,
  circumstances: Circumstances,
): Promise<readonly WireEntry[]> {
  const turn = turnOf(exchange, circumstances);
  const { memories } = await localDistiller.distill({ turn, recent: [] }, NEVER);
  const seen = new Map<string, number>();
  return toldOf(turn, memories).map((draft) => {
    const ordinal = seen.get(draft.kind) ?? 0;
    seen.set(draft.kind, ordinal + 1);
    return entryOf(draft, turn, ordinal);
  });
}

const NEVER = new AbortController().signal;

export function turnOf(
  { asked, answered }: Exchange,
  { project, member, session }: Circumstances,
): StoredTurn {
  const all = [...asked, ...answered];
  const [first] = all;
  const named = all.find((message) => message.session !== undefined)?.session;
  return {
    // Its clients name messages by the millisecond: two people may have the same.
    id: `evermem-${shortHash([project, member, first?.id].join('\n'), TURN_HASH)}`,
    agent: 'claude-code',
    session: named ?? session,
    origin: 'person',
    startedAt: first?.at ?? '',
    endedAt: all.at(-1)?.at ?? '',
    outcome: answered.length > 0 ? 'answered' : 'open',
    prompt: textOf(asked),
    answer: textOf(answered),
    tools: [],
    messages: all.map(({ id }) => id).slice(0, MOST_MESSAGES),
    project,
  };
}

/** Drafts that say nothing of the answer are told together with it: it is not kept anywhere else. */
export function toldOf(turn: StoredTurn, drafts: readonly MemoryDraft[]): readonly MemoryDraft[] {
  // Without its tool calls nothing tells whether a trouble that was answered is still open.
  const sure = turn.answer === '' ? drafts : drafts.filter(({ kind }) => kind !== 'issue');
  const answer = excerpt(turn.answer);
  if (answer === '' || sure.some(({ body }) => isIn(body, turn.answer))) return sure;
  const about = sure.findIndex(({ kind }) => kind !== 'preference');
  if (about >= 0)
    return sure.map((draft, i) => (i === about ? { ...draft, body: `${draft.body}\n\n${answer}` } : draft));
  if (sure.length > 0 || turn.prompt === '' || !admit(turn).admitted) return sure;
  return [
    { kind: 'discovery', title: titleOf(turn.prompt), body: answer, facts: [], concepts: [], files: [] },
  ];
}

function entryOf(draft: MemoryDraft, turn: StoredTurn, ordinal: number): WireEntry {
  return {
    id: memoryId(turn.startedAt, turn.id, draft.kind, ordinal),
    kind: draft.kind,
    title: draft.title,
    body: draft.body,
    ...given({ reason: draft.reason }),
    facts: draft.facts,
    concepts: draft.concepts,
    files: draft.files,
    state: draft.state ?? 'current',
    at: turn.startedAt,
    provenance: {
      agent: turn.agent,
      session: turn.session,
      turn: turn.id,
      messages: turn.messages,
      by: localDistiller.name,
    },
    machine: MACHINE,
    version: { clock: 1, machine: MACHINE },
  };
}

function textOf(messages: Exchange['asked']): string {
  return messages.map(({ content }) => content.replace(TRUNCATED, '').trim()).join('\n\n');
}

function titleOf(prompt: string): string {
  const line = plainLine(prompt.split('\n').find((one) => one.trim() !== '') ?? '');
  return line.length <= TITLE_CHARS ? line : `${cut(line, TITLE_CHARS - 1)}…`;
}

function excerpt(answer: string): string {
  const text = plainText(answer).trim();
  return text.length <= EXCERPT_CHARS ? text : `${cut(text, EXCERPT_CHARS)} …`;
}

/** Not through a word, nor through a character of two units. */
function cut(text: string, length: number): string {
  const head = text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
  const space = head.lastIndexOf(' ');
  return (space > length / 2 ? head.slice(0, space) : head).trimEnd();
}

function isIn(part: string, whole: string): boolean {
  return plainLine(whole).includes(plainLine(part));
}
