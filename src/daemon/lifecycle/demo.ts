/**
 * The data folder of a demo: a private folder in the temporary folder that exists as long as its `tidemark demo` process.
 * A killed demo leaves it behind; its daemon removes it then, or the next demo does. Never touches another data folder.
 */
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { placesIn, type Places } from '../../core/index.ts';
import { isSame, readTextSync, startTimeOf, STATE_BYTES, writeAtomicallySync } from '../../files/index.ts';

const NAME = /^tidemark-demo-(\d+)-[A-Za-z0-9]{6}$/;
const MARKER = 'demo.json';
/** The database and the socket may still be closing. */
const REMOVE_RETRIES = 5;

/** Creates the data folder of a demo that this process runs. */
export function createDemo(): Places {
  const home = mkdtempSync(join(tmpdir(), `tidemark-demo-${process.pid}-`));
  writeAtomicallySync(join(home, MARKER), JSON.stringify({ startTime: startTimeOf(process.pid) ?? null }));
  return placesIn(home);
}

/** Whether this is the data folder of a demo: by its name, its place, its owner and its marker. */
export function isDemo({ home }: Pick<Places, 'home'>): boolean {
  if (dirname(home) !== tmpdir() || !NAME.test(basename(home))) return false;
  const stat = lstatSync(home, { throwIfNoEntry: false });
  // Anyone can create a folder in the temporary folder.
  return Boolean(stat?.isDirectory()) && (process.getuid === undefined || stat?.uid === process.getuid());
}

/** Whether the process that runs this demo still exists. */
export function isDemoRunning({ home }: Pick<Places, 'home'>): boolean {
  const pid = Number(NAME.exec(basename(home))?.[1]);
  return isSame(pid, startTimeIn(home));
}

/** Removes the data folder of a demo, and nothing else. */
export function removeDemo(places: Pick<Places, 'home'>): void {
  if (!isDemo(places)) return;
  rmSync(places.home, { recursive: true, force: true, maxRetries: REMOVE_RETRIES });
}

/** The data folders that killed demos left behind. */
export function abandonedDemos(): readonly Places[] {
  return readdirSync(tmpdir())
    .map((name) => placesIn(join(tmpdir(), name)))
    .filter((places) => isDemo(places) && !isDemoRunning(places));
}

/** Undefined where the demo is just starting, and where the system has no start times: then any process counts. */
function startTimeIn(home: string): string | undefined {
  try {
    const { startTime } = JSON.parse(readTextSync(join(home, MARKER), STATE_BYTES)) as Record<
      string,
      unknown
    >;
    return typeof startTime === 'string' ? startTime : undefined;
  } catch {
    return undefined;
  }
}
