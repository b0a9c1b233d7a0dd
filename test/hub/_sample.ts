/** Reads and distills the bundled sample as the daemon does. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { claudeCode } from '../../src/agents/claude-code/index.ts';
import type { TranscriptNotes } from '../../src/agents/index.ts';
import {
  addedDrafts,
  memoryId,
  type Memory,
  type MemoryDraft,
  type StoredTurn,
} from '../../src/core/index.ts';
import { localDistiller } from '../../src/distill/index.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'plugin', 'sample', 'projects', '-sample-harbor-api');
const SAMPLE_PROJECT = 'harbor-api-7kq2m';

export async function sampleTurns(notes?: TranscriptNotes): Promise<readonly StoredTurn[]> {
  const turns: StoredTurn[] = [];
  for (const file of readdirSync(FOLDER)) {
    for await (const { turn } of claudeCode.reader.readTurns(join(FOLDER, file), notes ? { notes } : {})) {
      turns.push({ ...turn, project: SAMPLE_PROJECT });
    }
  }
  return turns.toSorted((a, b) => a.startedAt.localeCompare(b.startedAt));
}

export async function sampleMemories(): Promise<readonly Memory[]> {
  const memories: Memory[] = [];
  for (const turn of await sampleTurns()) {
    const { signal } = new AbortController();
    const distilled = await localDistiller.distill({ turn, related: [], root: '/sample/harbor-api' }, signal);
    memories.push(...addedDrafts(distilled.operations).map((draft, i) => memoryOf(draft, turn, i)));
  }
  return memories;
}

function memoryOf(draft: MemoryDraft, turn: StoredTurn, ordinal: number): Memory {
  return {
    ...draft,
    id: memoryId(turn.startedAt, turn.id, draft.kind, ordinal),
    project: turn.project,
    at: turn.startedAt,
    state: draft.state ?? 'current',
    provenance: {
      agent: turn.agent,
      session: turn.session,
      turn: turn.id,
      messages: turn.messages.slice(0, 2),
      by: 'local',
    },
    ...(turn.branch === undefined ? {} : { branch: turn.branch }),
  };
}
