/**
 * Turns an exchange into memories with the `rules` distiller. EverMem clients send no tool calls, so if the distiller finds
 * nothing in a substantial exchange, question and answer become the memory. Pure.
 */
import {
  addedDrafts,
  given,
  memoryId,
  shortHash,
  type MemoryDraft,
  type StoredTurn,
  plainLine,
  plainText,
  shortened,
} from '../../core/index.ts';
import { admit, localDistiller } from '../../distill/index.ts';
import type { WireEntry } from '../../exchange/sync/index.ts';
import type { Exchange } from './exchanges.ts';

/** The format does not name the machine. */
const MACHINE = 'evermem';
/** The part of an answer that is stored; the client cuts what it injects at 4,000. */
const EXCERPT_CHARS = 1200;
const TITLE_CHARS = 90;
const MAX_MESSAGES = 20;
const TURN_HASH = 20;
const TRUNCATED = /\n*\[\.\.\. (?:content )?truncated[^\]]*\]\s*$/;

interface Context {
  readonly project: string;
  readonly member: string;
  /** The session that was started last, if known. */
  readonly session: string;
}

export async function entriesOf(exchange: Exchange, context: Context): Promise<readonly WireEntry[]> {
  const turn = turnOf(exchange, context);
  const { operations } = await localDistiller.distill({ turn, related: [] }, NEVER);
  const seen = new Map<string, number>();
  return withAnswer(turn, addedDrafts(operations)).map((draft) => {
    const ordinal = seen.get(draft.kind) ?? 0;
    seen.set(draft.kind, ordinal + 1);
    return entryOf(draft, turn, ordinal);
  });
}

const NEVER = new AbortController().signal;

function turnOf({ asked, answered }: Exchange, { project, member, session }: Context): StoredTurn {
  const all = [...asked, ...answered];
  const [first] = all;
  return {
    // Includes the member: clients use the millisecond as the message id.
    id: `evermem-${shortHash([project, member, first?.id].join('\n'), TURN_HASH)}`,
    agent: 'claude-code',
    session: all.find((message) => message.session !== undefined)?.session ?? session,
    origin: 'person',
    startedAt: first?.at ?? '',
    endedAt: all.at(-1)?.at ?? '',
    outcome: answered.length > 0 ? 'answered' : 'open',
    prompt: textOf(asked),
    answer: textOf(answered),
    tools: [],
    messages: all.map(({ id }) => id).slice(0, MAX_MESSAGES),
    project,
  };
}

/** Adds the answer to the drafts if none contains it, because it is not stored anywhere else. */
function withAnswer(turn: StoredTurn, drafts: readonly MemoryDraft[]): readonly MemoryDraft[] {
  // Without tool calls it is unknown whether an answered problem is still open.
  const sure = turn.answer === '' ? drafts : drafts.filter(({ kind }) => kind !== 'issue');
  const answer = excerpt(turn.answer);
  if (answer === '' || sure.some(({ body }) => body !== '' && isIn(body, turn.answer))) return sure;
  const about = sure.findIndex(({ kind }) => kind !== 'preference');
  if (about >= 0)
    return sure.map((draft, i) =>
      i === about ? { ...draft, body: `${draft.body}\n\n${answer}`.trim() } : draft,
    );
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
  return shortened(line, TITLE_CHARS);
}

function excerpt(answer: string): string {
  const text = plainText(answer).trim();
  return text.length <= EXCERPT_CHARS ? text : `${cut(text, EXCERPT_CHARS)} …`;
}

/** Cuts at a word, and never inside a surrogate pair. */
function cut(text: string, length: number): string {
  const head = text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
  const space = head.lastIndexOf(' ');
  return (space > length / 2 ? head.slice(0, space) : head).trimEnd();
}

function isIn(part: string, whole: string): boolean {
  return plainLine(whole).includes(plainLine(part));
}
