/**
 * memsearch's daily notes: `.memsearch/memory/YYYY-MM-DD.md`, `### HH:MM` with an anchor to the session and turn, and
 * bullets below it. Only reads.
 */
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { draftOfNotes } from './_draft.ts';
import { notesIn, type Note } from './_memsearch-notes.ts';
import { entriesOf, filesIn, readText } from './_safe-read.ts';
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
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (!DAY_FILE.test(entry.name)) continue;
    const file = readText(path, folder);
    if (!file.ok) {
      yield { kind: 'problem', file: path, reason: file.reason };
      continue;
    }
    if (file.note) yield { kind: 'problem', file: path, ...file.note };
    for (const note of notesIn(file.text)) yield itemOf(note, path, entry.name.slice(0, 10), place);
  }
}

function itemOf(note: Note, file: string, day: string, place: { dir: string; name: string }): PeerItem {
  // Its times are of the machine's own clock, as the hook's `date` wrote them.
  const at = timeOf(`${day}T${note.time}:00`);
  const said = note.bullets.filter((bullet) => !NO_SUMMARY.test(bullet));
  const draft = draftOfNotes(said, note.code);
  if (at === undefined || draft === undefined) {
    const reason = at === undefined ? `no time: ${day} ${note.time}` : 'says nothing';
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

/** What its hook writes where no summary could be made. */
const NO_SUMMARY = /^Memory summary unavailable\b/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
