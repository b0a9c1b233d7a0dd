/** Creates a data folder with journal, ledger and index of many seeded memories, once, and keeps it in the cache. */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  contentHash,
  placesIn,
  type Memory,
  type Places,
  type Project,
  type Session,
} from '../src/core/index.ts';
import { MemoryIndex, SCHEMA_VERSION } from '../src/database/index.ts';
import { Journal, tidyMemory } from '../src/storage/journal/index.ts';
import { Synthetic } from './_synthetic.ts';

const SEED = 20_261_115;
const DAYS = 400;
const DAY_MS = 24 * 60 * 60 * 1000;
const PER_SESSION = 5;
const BATCH = 2000;
/** The first project has half of all memories, like a user's main project. */
const PROJECTS: readonly Project[] = Array.from({ length: 8 }, (_, i) => ({
  id: `bench-${i}-${'abcdefgh'[i]}1b2c`,
  name: `bench-${i}`,
  keys: [`path:/bench/${i}`],
  paths: [`/bench/${i}`],
}));

/** Copies the folder for the caller, because a daemon writes to it. */
export async function manyMemories(size: number, home: string): Promise<Places> {
  const kept = join(homedir(), '.cache', 'tidemark', `bench-hub-${size}-${stamp()}`);
  if (!existsSync(kept)) {
    const making = `${kept}.making-${process.pid}`;
    rmSync(making, { recursive: true, force: true });
    await fill(placesIn(making), size);
    renameSync(making, kept);
  }
  mkdirSync(dirname(home), { recursive: true });
  cpSync(kept, home, { recursive: true, preserveTimestamps: true });
  return placesIn(home);
}

/** Identifies the cached folder. A change of this program or of the schema creates a new one, and so does another day. */
function stamp(): string {
  const programs = [import.meta.filename, join(import.meta.dirname, '_synthetic.ts')];
  const text = programs.map((file) => readFileSync(file, 'utf8')).join('');
  return `${today()}-${contentHash(`${SCHEMA_VERSION}${text}`).slice(0, 8)}`;
}

function today(): string {
  return new Date().toISOString().slice(0, 'YYYY-MM-DD'.length);
}

async function fill(places: Places, size: number): Promise<void> {
  for (const folder of [places.home, places.journal, places.ledger, places.turns, dirname(places.index)])
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  const synthetic = new Synthetic(SEED);
  const end = Date.parse(`${today()}T00:00:00Z`);
  const memories = Array.from({ length: size }, (_, i) => memoryAt(synthetic, i, size, end));
  const place = await writeJournal(places, memories);
  const journal = new Journal(places.journal);
  const index = MemoryIndex.open(places.index);
  const sessions = sessionsOf(memories);
  index.transaction(() => {
    for (const project of PROJECTS) index.upsertProject(project);
    for (const session of sessions) index.upsertSession(session);
  });
  for (let i = 0; i < size; i += BATCH) {
    const entries = memories.slice(i, i + BATCH).map((memory) => {
      const { path = '', line = 1 } = place.get(memory.id) ?? {};
      return { memory, journal: path, line };
    });
    index.upsertMemories(entries);
  }
  for (const mark of journal.scan()) index.setJournalFile(mark);
  index.setMeta('built', new Date().toISOString());
  index.checkpoint();
  index.close();
  await journal.close();
  writeFileSync(join(places.ledger, `${today().slice(0, 7)}.jsonl`), ledgerOf(sessions), { mode: 0o600 });
}

/** Writes one month of a project at a time to a separate journal and moves it in, because small journals are fastest to write. */
async function writeJournal(places: Places, memories: readonly Memory[]) {
  const place = new Map<string, { readonly path: string; readonly line: number }>();
  const staging = join(places.home, 'staging');
  for (const some of Map.groupBy(memories, ({ at, project }) => project + at.slice(0, 7)).values()) {
    const journal = new Journal(staging);
    const { places: found } = await journal.put(some, []);
    await journal.close();
    for (const { id, path, line } of found) {
      place.set(id, { path, line });
      const [from, to] = [join(staging, path), join(places.journal, path)];
      if (!existsSync(from)) continue; // moved with another entry of the same day
      mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
      renameSync(from, to);
    }
  }
  rmSync(staging, { recursive: true, force: true });
  return place;
}

function memoryAt(synthetic: Synthetic, i: number, size: number, end: number): Memory {
  const { memory } = synthetic.memory(i);
  const at = new Date(end - ((size - i) / size) * DAYS * DAY_MS).toISOString();
  const session = Math.floor(i / PER_SESSION);
  const project = PROJECTS[session % 2 === 0 ? 0 : (session >> 1) % PROJECTS.length] ?? PROJECTS[0];
  return tidyMemory({
    ...memory,
    at,
    project: project?.id ?? '',
    provenance: { ...memory.provenance, session: `session-${session}` },
  });
}

function sessionsOf(memories: readonly Memory[]): readonly Session[] {
  return [...Map.groupBy(memories, ({ provenance }) => provenance.session)].map(([id, own]) => ({
    id,
    agent: 'claude-code',
    project: own[0]?.project ?? '',
    startedAt: own[0]?.at ?? '',
    lastAt: own.at(-1)?.at ?? '',
    endedAt: own.at(-1)?.at ?? '',
    status: 'completed',
    turns: own.length,
    title: own[0]?.title ?? '',
  }));
}

function ledgerOf(sessions: readonly Session[]): string {
  const at = sessions[0]?.startedAt ?? new Date().toISOString();
  const records = [
    ...PROJECTS.map((project) => ({ kind: 'project', at, project })),
    ...sessions.map(({ id, project, startedAt, status, title }) => ({
      kind: 'session',
      at: startedAt,
      session: id,
      change: 'ended',
      project,
      agent: 'claude-code',
      status,
      title,
    })),
  ];
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}
