/**
 * Finds out whether capture was down in the last session of a folder, so that the next one can say so. Down means: the
 * client wrote a conversation of a user after the installation, and no hook of it arrived, or hooks lost events in that time.
 * Sessions of programs (`-p`, the SDK) count for nothing: they may be started without hooks on purpose. Only reads.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readerOf } from '../agents/index.ts';
import { FIRST_AGENT, type Places } from '../core/index.ts';
import type { MemoryIndex } from '../database/index.ts';
import { linesIn, openRegular } from '../files/index.ts';
import { IMPORTED } from '../memory/index.ts';
import { contentOf } from './content.ts';
import { failedHooksIn } from './hook-log.ts';

const TRANSCRIPT = /^[0-9a-f]{8}-[0-9a-f-]{27}\.jsonl$/;
/** The newest files: opening and closing the client leaves some without a prompt. */
const MAX_FILES = 5;
/** The first lines of a transcript say how the client was started. */
const PEEK_LINES = 30;
const PEEK_LINE_BYTES = 64 * 1024;
/** An event may be logged this long after the last line of its session. */
const LATE_MS = 60_000;
const STARTED_BY_USER = /"entrypoint": ?"cli"/;

export interface GapQuestion {
  /** The folder of the client's transcripts of this project. */
  readonly folder: string;
  /** The session that begins. */
  readonly session: string;
  /** Sessions whose events arrived since the daemon started; some may not be in the index yet. */
  readonly heard: readonly string[];
}

export interface CaptureGap {
  readonly session: string;
  /** When it last wrote. */
  readonly at: string;
  /** `nothing`: no hook arrived. `late`: an import found it. `lost`: some events were lost. */
  readonly kind: 'nothing' | 'late' | 'lost';
}

export async function captureGap(
  index: MemoryIndex,
  places: Pick<Places, 'program' | 'hookLog'>,
  { folder, session, heard }: GapQuestion,
): Promise<CaptureGap | undefined> {
  const installed = statSync(places.program, { throwIfNoEntry: false })?.mtimeMs;
  if (installed === undefined) return undefined;
  for (const { path, id, mtimeMs } of newest(folder, session, installed)) {
    const known = index.session(id);
    // A first turn may be long, so a file is read only if the index knows nothing of it.
    const began = known && known.turns > 0 ? Date.parse(known.startedAt) : await firstPrompt(path);
    if (began === undefined) continue; // no conversation: the one before counts
    if (began < installed || !(await isStartedByUser(path))) return undefined;
    const gap = { session: id, at: new Date(mtimeMs).toISOString() };
    if (known?.source === IMPORTED) return { ...gap, kind: 'late' };
    if (!known) return heard.includes(id) ? undefined : { ...gap, kind: 'nothing' };
    return lostBetween(places.hookLog, began, mtimeMs + LATE_MS) ? { ...gap, kind: 'lost' } : undefined;
  }
  return undefined;
}

/** One sentence for the user and the agent. */
export function gapLine({ kind }: CaptureGap, age: string): string {
  switch (kind) {
    case 'nothing':
      return `Tidemark did not capture the last session in this folder (${age}): run \`tidemark doctor\` to see why and \`tidemark import history\` to import it.`;
    case 'late':
      return `Tidemark did not capture the last session in this folder (${age}) while it ran, only by a later import: run \`tidemark doctor\` to see why.`;
    case 'lost':
      return `Tidemark lost events of the last session in this folder (${age}): run \`tidemark doctor\` to see why.`;
  }
}

interface Candidate {
  readonly path: string;
  readonly id: string;
  readonly mtimeMs: number;
}

function newest(folder: string, session: string, since: number): readonly Candidate[] {
  return names(folder)
    .filter((name) => TRANSCRIPT.test(name) && name !== `${session}.jsonl`)
    .flatMap((name) => {
      const path = join(folder, name);
      const stat = statSync(path, { throwIfNoEntry: false });
      return stat?.isFile() ? [{ path, id: name.slice(0, -'.jsonl'.length), mtimeMs: stat.mtimeMs }] : [];
    })
    .filter(({ mtimeMs }) => mtimeMs >= since)
    .toSorted((a, b) => b.mtimeMs - a.mtimeMs)
    .slice(0, MAX_FILES);
}

function names(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // the client has not created it yet
  }
}

/** When the user's first prompt was sent that is content; undefined if there is none. */
async function firstPrompt(path: string): Promise<number | undefined> {
  for await (const { turn } of readerOf(FIRST_AGENT).readTurns(path))
    if (turn.origin === 'person' && contentOf(turn)) return Date.parse(turn.startedAt);
  return undefined;
}

async function isStartedByUser(path: string): Promise<boolean> {
  const file = await openRegular(path);
  try {
    let read = 0;
    for await (const { bytes } of linesIn(file, { maxBytes: PEEK_LINE_BYTES })) {
      if (bytes !== undefined && STARTED_BY_USER.test(bytes.toString('utf8'))) return true;
      if (++read >= PEEK_LINES) return false;
    }
    return false;
  } finally {
    await file.close();
  }
}

function lostBetween(hookLog: string, from: number, to: number): boolean {
  return failedHooksIn(hookLog).some((row) => {
    const at = Date.parse(row.at);
    return at >= from && at <= to;
  });
}
