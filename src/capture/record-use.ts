/** What the ledger hears beside memories and turns: what was put before an agent, of use to it, or taken out as a secret. */
import type { Stores } from '../memory/index.ts';
import type { Answer } from './hook-answers.ts';

export interface InjectionNote extends Answer {
  readonly session: string;
  readonly event: string;
  readonly at: string;
  readonly promptId?: string;
  /** The subagent it was put before. */
  readonly agent?: string;
}

/** Memories that were of use to a session. */
export interface UseNote {
  readonly session: string;
  readonly memories: readonly string[];
  readonly how: 'opened' | 'echoed';
}

export interface RedactionNote {
  readonly at: string;
  readonly counts: Readonly<Record<string, number>>;
}

export async function noteInjection({ ledger, index }: Stores, note: InjectionNote): Promise<void> {
  const { session, event, at, where, considered, reason, agent } = note;
  const memories = [...note.memories];
  const promptId = note.promptId ?? event;
  await ledger.append([
    {
      kind: 'injected',
      at,
      session,
      where,
      prompt: promptId,
      memories,
      considered,
      ...(reason ? { reason } : {}),
      ...(agent ? { agent } : {}),
    },
  ]);
  const place = agent ? 'subagent' : where;
  index.recordInjection(
    memories.map(({ id, score }) => ({ at, session, place, promptId, memory: id, score })),
  );
}

export async function noteRedactions(
  { ledger, index }: Stores,
  { at, counts }: RedactionNote,
): Promise<void> {
  if (Object.keys(counts).length === 0) return;
  await ledger.append([{ kind: 'redacted', at, counts }]);
  index.addRedactions(counts);
}

export async function noteUse({ ledger, index }: Stores, { session, memories, how }: UseNote): Promise<void> {
  const at = new Date().toISOString();
  const uses = memories.map((memory) => ({ at, session, memory, how }));
  await ledger.append(uses.map((use) => ({ kind: 'used', ...use }) as const));
  index.recordUse(uses);
}
