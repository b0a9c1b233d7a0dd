/** The bundled sample, read and distilled as the daemon does it, and a played daemon that answers from it. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localDistiller, summarizeTurns } from '../../src/distill/index.ts';
import { hubReads } from '../../src/daemon/index.ts';
import { MemoryIndex } from '../../src/index/index.ts';
import {
  memoryId,
  placesIn,
  TidemarkError,
  type Memory,
  type MemoryDraft,
  type Session,
  type StoredTurn,
} from '../../src/model/index.ts';
import { entryCost } from '../../src/recall/index.ts';
import { readTurns, type TranscriptNotes } from '../../src/transcript/index.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'plugin', 'sample', 'projects', '-sample-harbor-api');
export const SAMPLE_PROJECT = 'harbor-api-7kq2m';

export async function sampleTurns(notes?: TranscriptNotes): Promise<readonly StoredTurn[]> {
  const turns: StoredTurn[] = [];
  for (const file of readdirSync(FOLDER)) {
    for await (const { turn } of readTurns(join(FOLDER, file), notes ? { notes } : {})) {
      turns.push({ ...turn, project: SAMPLE_PROJECT });
    }
  }
  return turns.toSorted((a, b) => a.startedAt.localeCompare(b.startedAt));
}

export async function sampleMemories(): Promise<readonly Memory[]> {
  const memories: Memory[] = [];
  for (const turn of await sampleTurns()) {
    const { signal } = new AbortController();
    const distilled = await localDistiller.distill({ turn, recent: [], root: '/sample/harbor-api' }, signal);
    memories.push(...distilled.memories.map((draft, i) => memoryOf(draft, turn, i)));
  }
  return memories;
}

export interface PlayedDaemon {
  readonly calls: Readonly<Record<string, (args: never) => unknown>>;
  close(): void;
}

/** Answers what the hub asks from a real index of the sample, plus `more` memories. */
export async function playedDaemon(more: readonly Memory[], now: Date): Promise<PlayedDaemon> {
  const folder = mkdtempSync(join(tmpdir(), 'hub-index-'));
  const index = MemoryIndex.open(join(folder, 'index.db'));
  const turns = await sampleTurns();
  const memories = [...(await sampleMemories()), ...more];
  index.upsertProject({
    id: SAMPLE_PROJECT,
    name: 'harbor-api',
    keys: ['path:/sample/harbor-api'],
    paths: ['/sample/harbor-api'],
  });
  for (const session of sessionsOf(turns)) index.upsertSession(session);
  index.upsertMemories(
    memories.map((memory, i) => ({
      memory,
      journal: `${memory.project}/${memory.at.slice(0, 10)}.md`,
      line: 4 + 7 * i,
    })),
  );
  const days = Map.groupBy(memories, ({ at }) => at.slice(0, 10));
  return {
    calls: {
      status: () => ({
        version: '0.1.0',
        startedAt: now.toISOString(),
        busy: false,
        lastEvent: {},
        spool: { depth: 0, poison: 0 },
        setAside: [],
        config: [],
      }),
      'read.cost': () => {
        const day = { requests: 12, inputTokens: 15_230, outputTokens: 1_940, usd: 0.0249 };
        return { total: day, rows: [{ key: '2026-11-12', ...day }] };
      },
      'read.stats': () => ({
        ...index.stats(),
        turns: turns.length,
        byDay: Object.fromEntries([...days].map(([day, ofDay]) => [day, ofDay.length])),
      }),
      ...hubReads({
        places: placesIn(folder),
        index: () => index,
        signals: async () => ({
          files: () => ({ known: 0, changes: [] }),
          branch: () => 'here',
          uses: () => new Map(),
        }),
        turns: async (session) => turns.filter((turn) => turn.session === session),
        now: () => now,
      }),
      'read.show': ({ ids }: { ids: readonly string[] }) =>
        ids.map((id) => {
          const entry = index.memoryEntry(id);
          if (!entry) throw new TidemarkError('not-found', `nothing is known as ${id}`);
          return { ...entry, tokens: entryCost(entry.memory) };
        }),
      'read.transcript': ({ id }: { id: string }) => {
        const memory = index.memory(id);
        const turn = turns.find((one) => one.id === memory?.provenance.turn);
        if (turn) return { memory, turn };
        throw new TidemarkError('turn-gone', `the conversation of ${id} is no longer in the turn store`);
      },
    },
    close: () => {
      index.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
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

function sessionsOf(turns: readonly StoredTurn[]): readonly Session[] {
  return [...Map.groupBy(turns, ({ session }) => session)].map(([id, own]) => {
    const summary = summarizeTurns(own, '/sample/harbor-api');
    const [first, last] = [own[0]!, own.at(-1)!];
    return {
      id,
      agent: 'claude-code',
      project: SAMPLE_PROJECT,
      startedAt: first.startedAt,
      lastAt: last.endedAt,
      status: 'completed',
      turns: own.length,
      title: summary.completed.split('; ')[0] ?? summary.request,
      summary,
      ...(first.branch === undefined ? {} : { branch: first.branch }),
    };
  });
}
