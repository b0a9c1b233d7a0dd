/** Records injections, opened memories and redactions in the ledger and the index. */
import { given } from '../core/index.ts';
import type { Injection } from '../database/index.ts';
import type { Stores } from '../memory/index.ts';
import type { Injected } from '../storage/ledger/index.ts';
import type { Answer } from './hook-answers.ts';

export interface InjectionNote extends Answer {
  readonly session: string;
  readonly event: string;
  readonly at: string;
  readonly promptId?: string;
  /** The subagent it was injected into. */
  readonly agent?: string;
}

/** Memories that the agent opened in a session. */
interface OpenedNote {
  readonly session: string;
  readonly memories: readonly string[];
}

export interface RedactionNote {
  readonly at: string;
  readonly counts: Readonly<Record<string, number>>;
}

export async function noteInjection({ ledger, index }: Stores, note: InjectionNote): Promise<void> {
  const { session, event, at, where, conversation, considered, reason, agent } = note;
  const record = {
    kind: 'injected',
    at,
    session,
    where,
    prompt: note.promptId ?? event,
    memories: [...note.memories],
    considered,
    ...given({ conversation, reason: reason || undefined, agent: agent || undefined }),
  } as const;
  await ledger.append([record]);
  index.recordInjection(injectionsIn(record));
}

/** The rows of a moment in the index. A past session is injected once, like a memory: its id is in the same column. */
export function injectionsIn(record: Injected): readonly Injection[] {
  const { at, session, where, prompt: promptId = '', memories, conversation, agent } = record;
  // A memory stops once in a session, its subagents included.
  const place = agent && where !== 'stop' ? 'subagent' : where;
  return [
    ...memories.map(({ id, score }) => ({ at, session, place, promptId, memory: id, score })),
    ...(conversation
      ? [
          {
            at,
            session,
            place: 'conversation',
            promptId,
            memory: conversation.session,
            score: conversation.score,
          },
        ]
      : []),
  ];
}

export async function noteRedactions(
  { ledger, index }: Stores,
  { at, counts }: RedactionNote,
): Promise<void> {
  if (Object.keys(counts).length === 0) return;
  await ledger.append([{ kind: 'redacted', at, counts }]);
  index.addRedactions(counts);
}

export async function noteOpened(
  { ledger, index }: Stores,
  { session, memories }: OpenedNote,
): Promise<void> {
  const at = new Date().toISOString();
  const opened = memories.map((memory) => ({ at, session, memory }));
  await ledger.append(opened.map((one) => ({ kind: 'opened', ...one }) as const));
  index.recordOpened(opened);
}
