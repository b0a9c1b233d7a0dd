/**
 * Sends planted secrets through a real daemon into one data folder. Searches every byte of the data folder and the contexts
 * that hooks inject.
 */
import { contentOf } from '../test/support/leaks.ts';
import { Machine } from '../test/support/machine.ts';
import { stored } from '../test/support/stored.ts';
import { inventedDecision, uuid } from '../test/support/synthetic-transcript.ts';
import { DOORS, projectOf, throughTranscripts } from './_secrets-doors.ts';
import type { Planted } from './_secrets-plant.ts';

export interface LiveLeaks {
  readonly onDisk: ReadonlySet<Planted>;
  readonly injected: ReadonlySet<Planted>;
  /** Turns in the store: a text that never arrived cannot leak. */
  readonly turns: number;
}

/** Shorter values occur by chance, so they are searched with the characters before them. */
const SHORTEST = 8;
const BEFORE = 5;

export async function plantLive(all: readonly Planted[], say: (text: string) => void): Promise<LiveLeaks> {
  const machine = new Machine();
  try {
    await machine.up();
    const shown: string[] = [];
    const onDisk = new Set<Planted>();
    const search = searchFor(all);
    // The spool is emptied when its events are processed, so the folder is searched on the way too.
    const searchDisk = (): void => {
      for (const one of search(machine.files().map(contentOf))) onDisk.add(one);
    };
    for (const [n, door] of DOORS.entries()) {
      const own = all.filter((_, i) => i % DOORS.length === n);
      const project = projectOf(machine, door);
      say(`${own.length} through ${door.name}`);
      shown.push(...(await door.send(machine, project, own)));
      if (door.name !== 'import') await throughTranscripts(machine, project, own);
      searchDisk();
    }
    await machine.drained();
    shown.push(...(await contexts(machine)));
    const { turns } = await stored(machine);
    await machine.stopDaemon();
    searchDisk();
    return {
      onDisk,
      injected: search(shown),
      turns: turns.length,
    };
  } finally {
    await machine.close();
  }
}

/** The brief of a new session in each project, and what its prompts bring back. */
async function contexts(machine: Machine): Promise<readonly string[]> {
  const said: string[] = [];
  for (const door of DOORS) {
    const project = projectOf(machine, door);
    const session_id = uuid('next', door.name);
    const started = await machine.hook('SessionStart', { session_id, source: 'startup' }, { project });
    said.push(started.stdout);
    for (const name of [`${door.name} 0`, `${project} 0`]) {
      const prompt = inventedDecision(name).text;
      said.push((await machine.hook('UserPromptSubmit', { session_id, prompt }, { project })).stdout);
    }
  }
  return said;
}

/** Returns the secrets that occur in texts, as they are or escaped for JSON, in any case. */
function searchFor(all: readonly Planted[]): (texts: readonly string[]) => ReadonlySet<Planted> {
  const byStart = new Map<string, { readonly needle: string; readonly one: Planted }[]>();
  for (const one of all) {
    for (const needle of one.needles.flatMap((text) => formsOf(text, one.text))) {
      const start = needle.slice(0, SHORTEST);
      byStart.set(start, [...(byStart.get(start) ?? []), { needle, one }]);
    }
  }
  return (texts) => {
    const found = new Set<Planted>();
    for (const text of texts.map((own) => own.toLowerCase())) {
      for (let i = 0; i <= text.length - SHORTEST; i++) {
        for (const { needle, one } of byStart.get(text.slice(i, i + SHORTEST)) ?? [])
          if (text.startsWith(needle, i)) found.add(one);
      }
    }
    return found;
  };
}

function formsOf(needle: string, text: string): readonly string[] {
  const at = text.indexOf(needle);
  const own = needle.length < SHORTEST ? text.slice(Math.max(0, at - BEFORE), at + needle.length) : needle;
  const escaped = JSON.stringify(own).slice(1, -1);
  const twice = JSON.stringify(escaped).slice(1, -1);
  return [...new Set([own, escaped, twice])].map((form) => form.toLowerCase());
}
