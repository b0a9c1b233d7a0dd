/**
 * Reads memsearch's daily notes: `.memsearch/memory/YYYY-MM-DD.md`, `### HH:MM` with an anchor to the session and turn,
 * and bullets below it.
 */
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { draftOfNotes } from './_draft.ts';
import { notesIn, type Note } from './_memsearch-notes.ts';
import { filesIn, readOrReport, readText } from './_safe-read.ts';
import { agentOf, timeOf } from './_values.ts';
import type { PeerFound, PeerItem, PeerReader, Surroundings } from './peer.ts';

const FOLDER = join('.memsearch', 'memory');
const DAY_FILE = /^\d{4}-\d{2}-\d{2}(?:[.-][\w-]+)?\.md$/;

export const memsearch: PeerReader = {
  name: 'memsearch',
  title: 'memsearch',
  find: ({ folders, home }: Surroundings) =>
    [...new Set([...folders, home])].flatMap((folder) => look(join(folder, FOLDER)) ?? []),
  look: (path) => look(existsSync(join(path, FOLDER)) ? join(path, FOLDER) : path),
  read,
};

function look(folder: string): PeerFound | undefined {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  const days = filesIn(folder, DAY_FILE);
  if (days.length === 0) return undefined;
  const notes = days.reduce((sum, path) => {
    const file = readText(path, folder);
    return sum + (file.ok ? notesIn(file.text).length : 0);
  }, 0);
  return { name: 'memsearch', path: folder, counts: { days: days.length, notes } };
}

async function* read({ path: folder }: PeerFound): AsyncGenerator<PeerItem> {
  // `<project>/.memsearch/memory`
  const dir = basename(dirname(folder)) === '.memsearch' ? dirname(dirname(folder)) : folder;
  const place = { dir, name: basename(dir) };
  for (const path of filesIn(folder, DAY_FILE)) {
    const file = yield* readOrReport(path, folder);
    const notes = file ? notesIn(file.text) : [];
    for (const note of notes) yield itemOf(note, path, basename(path).slice(0, 10), place);
  }
}

function itemOf(note: Note, file: string, day: string, place: { dir: string; name: string }): PeerItem {
  // Local time, as the hook's `date` wrote it.
  const at = timeOf(`${day}T${note.time}:00`);
  const said = note.bullets.filter((bullet) => !NO_SUMMARY.test(bullet));
  const draft = draftOfNotes(said, note.code);
  if (at === undefined || draft === undefined) {
    const reason = at === undefined ? `no time: ${day} ${note.time}` : 'no content';
    return { kind: 'problem', file, line: note.line, reason };
  }
  return {
    kind: 'memory',
    key: `memsearch\n${note.session || place.dir}\n${note.turn}\n${at}\n${said.join('\n')}`,
    source: `${basename(file)}:${note.line}`,
    at,
    draft,
    agent: agentOf(note.agent),
    session: note.session,
    ...(UUID.test(note.turn) ? { turn: note.turn } : {}),
    place,
  };
}

/** Its hook writes this when it could not make a summary. */
const NO_SUMMARY = /^Memory summary unavailable\b/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
