/** What is kept: journal with file and line, index, spool, events set aside, secrets that were kept out. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { TidemarkError, type Places } from '../../core/index.ts';
import type { Client, Health } from '../../daemon/index.ts';
import { age } from '../../recall/index.ts';
import type { BackupList } from '../../storage/snapshots/index.ts';
import { counted } from '../screen.ts';
import { jsonOf } from './_files.ts';
import { note, well, wrong, type Check, type Live } from './check.ts';

/** An event takes well under a second; one that waits this long is stuck. */
const STUCK_MS = 10 * 60_000;
const SHOWN = 5;
const DAY_MS = 24 * 60 * 60 * 1000;
/** A machine that was off over a long weekend is no finding: the snapshot comes with the next hour of work. */
const OVERDUE_DAYS = 7;

export function journal(
  { journalFiles, journalProblems, withoutId }: Health,
  client: Client,
): readonly Check[] {
  const name = 'journal';
  const unnamed =
    withoutId === 0
      ? []
      : [
          note(
            name,
            `${counted(withoutId, 'entry', 'entries')} written by hand without an id yet`,
            'They get one when your editor has rested, or with: tidemark doctor --fix',
            async () => {
              const { files } = await client.call<{ files: number }>('journal.adopt');
              if (files === 0)
                throw new TidemarkError('journal', 'the file they stand in has to be put right first');
              return `wrote ids into ${counted(files, 'journal file')}`;
            },
          ),
        ];
  if (journalProblems.length === 0)
    return unnamed.length > 0
      ? unnamed
      : [well(name, `${counted(journalFiles, 'file')}, every entry reads well`)];
  const shown = journalProblems.slice(0, SHOWN).map(({ file, line, reason }) => `${file}:${line}: ${reason}`);
  const more = journalProblems.length > SHOWN ? ` and ${journalProblems.length - SHOWN} more` : '';
  return [
    wrong(name, `${shown.join('; ')}${more}`, 'Open the file at that line and correct it; nothing was lost.'),
    ...unnamed,
  ];
}

export function index({ indexProblems, memories, turns, rebuilt }: Health, client: Client): Check {
  const anew = rebuilt ? `; built anew ${age(rebuilt.at, new Date())}: ${rebuilt.why}` : '';
  if (indexProblems.length === 0)
    return well(
      'index',
      `${counted(memories, 'memory', 'memories')}, ${counted(turns, 'turn')}, whole${anew}`,
    );
  return wrong(
    'index',
    indexProblems.slice(0, SHOWN).join('; '),
    'Build it again: tidemark doctor --fix',
    () => reindex(client),
  );
}

/** A snapshot is taken by itself when one is due; one that is long overdue says that it fails. */
export async function backups(client: Client, days: number, health: Health): Promise<Check> {
  const name = 'backups';
  const { folder, snapshots } = await client.call<BackupList>('backup.list', {});
  const last = snapshots
    .map(({ at }) => at)
    .toSorted()
    .at(-1);
  const told = last
    ? `${counted(snapshots.length, 'snapshot')}, the last ${age(last, new Date())}`
    : 'no snapshot yet';
  const take = async (): Promise<string> => {
    await client.call('backup', {});
    return 'took a snapshot';
  };
  if (days === 0) return note(name, `${told}; only by hand (backup.days is 0)`, 'Take one: tidemark backup');
  if (health.memories + health.turns === 0) return well(name, `${told}; nothing to keep yet`);
  const overdueMs = (days + OVERDUE_DAYS) * DAY_MS;
  if (last !== undefined && Date.now() - Date.parse(last) > overdueMs)
    return wrong(
      name,
      `${told}, in ${folder}: none was taken when it was due`,
      'Take one and see why: tidemark backup',
      take,
    );
  return well(name, last ? `${told}, in ${folder}` : `${told}; the first comes within minutes`);
}

/** The reader could not even open it. */
export function brokenIndex(reason: string, client: Client): Check {
  return wrong('index', reason, 'Build it again: tidemark doctor --fix', () => reindex(client));
}

/** Without a daemon the inbox is all that can be counted. */
export function spool(places: Places, live: Live | undefined, client: Client): Check {
  const name = 'spool';
  const waiting = jsonFiles(places.inbox).length;
  const drain = async (): Promise<string> => {
    await client.call('drain');
    return 'worked off what was waiting';
  };
  if (!live) {
    if (waiting === 0) return well(name, 'nothing waits in the inbox');
    return note(
      name,
      `${counted(waiting, 'event')} in the inbox, kept by hooks while no daemon ran`,
      'Taken in at the next start: tidemark start',
      drain,
    );
  }
  const { depth, oldest } = live.status.spool;
  const since = oldest ? `, the oldest ${age(oldest, new Date())}` : '';
  if (depth > 0 && oldest !== undefined && Date.now() - Date.parse(oldest) > STUCK_MS && !live.status.busy)
    return wrong(
      name,
      `${counted(depth, 'event')} waiting${since}, and nothing is being done`,
      'Wake it: tidemark doctor --fix',
      drain,
    );
  return well(
    name,
    depth + waiting === 0 ? 'nothing waits' : `${counted(depth + waiting, 'event')} waiting${since}`,
  );
}

/** Set aside after three tries: kept, never lost, never tried again by themselves. */
export function poison(places: Places): Check {
  const name = 'poison events';
  const entries = jsonFiles(places.poison).map((file) => jsonOf(join(places.poison, file)));
  if (entries.length === 0) return well(name, 'none set aside');
  const reasons = Object.entries(Object.groupBy(entries, ({ reason }) => String(reason ?? 'reason unknown')));
  const said = reasons
    .toSorted(([, a], [, b]) => (b?.length ?? 0) - (a?.length ?? 0))
    .slice(0, SHOWN)
    .map(([reason, of]) => (of?.length === 1 ? reason : `${reason} (${of?.length}×)`));
  return wrong(
    name,
    `${entries.length} set aside: ${said.join('; ')}`,
    'Look: tidemark poison. Try again: tidemark poison retry --all. Let go: tidemark poison drop --all',
  );
}

export function redactions({ redacted }: Health): Check {
  const counts = Object.entries(redacted).toSorted(([, a], [, b]) => b - a);
  const said = counts.map(([type, n]) => `${type} ${n}`).join(', ');
  return well('secrets kept out', said || 'none needed so far');
}

async function reindex(client: Client): Promise<string> {
  await client.call('reindex');
  return 'built the index again from journal, turn store and ledger';
}

function jsonFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json') && !name.startsWith('.'));
  } catch {
    return [];
  }
}
