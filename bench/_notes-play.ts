/**
 * Plays labelled sessions with the notes that a language model wrote for each turn, through the product's own parser, checks
 * and stores. The model saw the instruction and the conversation so far, never a label.
 */
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EVERYWHERE, lookUpProject, noteFromAgent, openStores, storeTurn } from '../src/capture/index.ts';
import {
  evidenceOf,
  placesIn,
  splitNotes,
  type Memory,
  type MemoryKind,
  type StoredTurn,
  type ToolCall,
} from '../src/core/index.ts';
import { localDistiller, type Distiller } from '../src/distill/index.ts';
import { recordSession, type Stores } from '../src/memory/index.ts';
import type { LabelledProject, LabelledSession, LabelledTool } from './labelled-sessions.ts';
import type { Entry } from './memory-score.ts';

export const FORMS = ['full', 'short', 'tool'] as const;
export type Form = (typeof FORMS)[number];

interface ToolNote {
  readonly title: string;
  readonly kind: MemoryKind;
  readonly quote: string;
  readonly reason?: string;
  /** `@s2.1.1`: the first note of the turn s2.1. */
  readonly replaces?: readonly string[];
}

export interface PlayedTurn {
  readonly turn: string;
  readonly full: readonly string[];
  readonly short: readonly string[];
  readonly tool: readonly ToolNote[];
}

export interface PlayedProject {
  readonly project: string;
  readonly turns: readonly PlayedTurn[];
}

export interface Played {
  readonly entries: readonly Entry[];
  readonly notes: number;
  /** Lines that the parser did not accept. */
  readonly formatErrors: readonly string[];
  readonly evidence: Readonly<Record<string, number>>;
}

const TURN_MS = 150_000;
const NO_RULES: Distiller = { name: 'none', distill: () => Promise.resolve({ operations: [] }) };

export function playedProjects(folder: string): readonly PlayedProject[] {
  return readdirSync(folder)
    .filter((file) => /^[def]-\d+\.json$/.test(file))
    .toSorted()
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as PlayedProject); // written for this benchmark
}

/** `form` undefined: no notes at all. */
export async function play(
  project: LabelledProject,
  played: PlayedProject,
  form: Form | undefined,
  withRules: boolean,
): Promise<Played> {
  const root = mkdtempSync(join(tmpdir(), 'notes-play-'));
  const cwd = join(root, 'project');
  mkdirSync(cwd);
  const { stores } = await openStores(placesIn(join(root, 'data')));
  try {
    return await playIn(stores, cwd, project, played, form, withRules ? localDistiller : NO_RULES);
  } finally {
    await stores.journal.close();
    await Promise.all([stores.turns.close(), stores.ledger.close()]);
    stores.index.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function playIn(
  stores: Stores,
  cwd: string,
  project: LabelledProject,
  played: PlayedProject,
  form: Form | undefined,
  distiller: Distiller,
): Promise<Played> {
  const { project: own } = await lookUpProject(stores, cwd, EVERYWHERE);
  const made = new Map<string, string>();
  const formatErrors: string[] = [];
  let notes = 0;
  const named = (text: string): string =>
    text.replace(/@(s\d+\.\d+\.\d+)/g, (_, name: string) => made.get(name) ?? 'none');
  for (const session of project.sessions) {
    const id = `${project.name}-${session.id}`;
    await recordSession(stores, {
      kind: 'session',
      at: session.at,
      session: id,
      change: 'started',
      project: own.id,
      agent: 'claude-code',
      status: 'active',
      worktree: cwd,
    });
    for (const [n, said] of session.turns.entries()) {
      const name = `${session.id}.${n + 1}`;
      if (said.assistant === '') continue;
      const one = played.turns.find(({ turn }) => turn === name);
      const lines = form === undefined || form === 'tool' ? [] : (one?.[form] ?? []).map(named);
      const calls = form === 'tool' ? (one?.tool ?? []) : [];
      notes += lines.length + calls.length;
      const answer = [said.assistant, ...(lines.length > 0 ? ['', ...lines] : [])].join('\n');
      if (splitNotes(answer).notes.length !== lines.length) formatErrors.push(...lines);
      const turn = turnOf(session, n, { id: name, session: id, project: own.id, answer });
      const callIds = calls.map((_, i) => `call ${name} ${i}`);
      const noteCalls = callIds.map((call) => toolCall(call, 'mcp__plugin_tidemark_memory__remember'));
      const { memories } = await storeTurn(
        stores,
        distiller,
        { ...turn, tools: [...turn.tools, ...noteCalls] },
        { project: own.id, root: cwd },
      );
      memories
        .filter(({ provenance }) => provenance.by === 'agent')
        .forEach(({ id: memory }, i) => made.set(`${name}.${i + 1}`, memory));
      for (const [i, { replaces = [], quote, reason, ...draft }] of calls.entries()) {
        const outcome = await noteFromAgent(
          stores,
          {
            draft: { body: '', facts: [], concepts: [], files: [], ...draft, ...(reason ? { reason } : {}) },
            quote,
            ends: replaces.map(named),
            dir: cwd,
            session: id,
            call: callIds[i] ?? '',
          },
          EVERYWHERE,
          new Date(Date.parse(turn.startedAt) + 60_000 + i),
        );
        if (outcome.kind === 'stored' && outcome.memory) made.set(`${name}.${i + 1}`, outcome.memory.id);
        else formatErrors.push(`${name}: ${JSON.stringify(outcome)}`);
      }
    }
  }
  const memories = stores.index.memoriesBy({ limit: 1000 }).toReversed();
  const evidence: Record<string, number> = {};
  for (const memory of memories.filter(({ provenance }) => provenance.by === 'agent'))
    evidence[evidenceOf(memory)] = (evidence[evidenceOf(memory)] ?? 0) + 1;
  return { entries: memories.map(entryOf), notes, formatErrors, evidence };
}

function turnOf(
  session: LabelledSession,
  n: number,
  parts: Pick<StoredTurn, 'id' | 'session' | 'project' | 'answer'>,
): StoredTurn {
  const said = session.turns[n];
  const at = Date.parse(session.at) + n * TURN_MS;
  return {
    agent: 'claude-code',
    origin: 'person',
    startedAt: new Date(at).toISOString(),
    endedAt: new Date(at + TURN_MS / 2).toISOString(),
    outcome: 'answered',
    prompt: said?.user ?? '',
    tools: (said?.tools ?? []).map((tool, i) => calledTool(tool, `tool ${n} ${i}`)),
    messages: [parts.id],
    branch: session.branch,
    ...parts,
  };
}

function calledTool({ name, input, output }: LabelledTool, id: string): ToolCall {
  const { command, file_path: file } = input;
  const edits = /^(?:Edit|Write|MultiEdit)$/.test(name) && typeof file === 'string';
  return {
    ...toolCall(id, name),
    output,
    edited: edits ? [file] : [],
    ...(typeof command === 'string' ? { command } : {}),
  };
}

function toolCall(id: string, name: string): ToolCall {
  return { id, name, status: 'ok', errors: [], read: [], edited: [] };
}

function entryOf({ id, kind, state, title, body, reason = '', facts, provenance }: Memory): Entry {
  const turns = [provenance.turn, ...(provenance.also ?? [])];
  return { id, kind, state, title, text: [body, reason, ...facts].join('\n'), turns, by: provenance.by };
}
