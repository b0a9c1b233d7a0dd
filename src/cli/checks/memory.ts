/** Checks the stores: journal, index, spool, events set aside, backups, redacted secrets. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { TidemarkError, type Places } from '../../core/index.ts';
import type { Client, Health } from '../../daemon/index.ts';
import { age } from '../../recall/index.ts';
import { counted, size } from '../screen.ts';
import { jsonOf } from './_files.ts';
import { checkOf, type Check, type Live } from './check.ts';

/** An event takes well under a second; after this it is stuck. */
const STUCK_MS = 10 * 60_000;
const SHOWN = 5;
const DAY_MS = 24 * 60 * 60 * 1000;
/** A machine that was off for a long weekend is fine: the next hour of work takes the snapshot. */
const OVERDUE_DAYS = 7;

export function journal(
  { journalFiles, journalProblems, withoutId }: Health,
  client: Client,
): readonly Check[] {
  const check = checkOf('journal');
  const withoutIds =
    withoutId === 0
      ? []
      : [
          check.note(
            `${counted(withoutId, 'entry')} written by hand without an id`,
            'They get one when you stop editing, or with: tidemark doctor --fix',
            async () => {
              const { files } = await client.call('journal.adopt', {});
              if (files === 0) throw new TidemarkError('journal', 'correct the file they are in first');
              return `wrote ids into ${counted(files, 'journal file')}`;
            },
          ),
        ];
  if (journalProblems.length === 0)
    return withoutIds.length > 0
      ? withoutIds
      : [check.well(`${counted(journalFiles, 'file')}, every entry is readable`)];
  const shown = journalProblems.slice(0, SHOWN).map(({ file, line, reason }) => `${file}:${line}: ${reason}`);
  const more = journalProblems.length > SHOWN ? ` and ${journalProblems.length - SHOWN} more` : '';
  return [
    check.wrong(`${shown.join('; ')}${more}`, 'Correct the file at that line; nothing was lost.'),
    ...withoutIds,
  ];
}

/** The original conversations. Memories made of a lost one are kept. */
export function turnStore({ turnStore: { bytes, unread, damaged, lost } }: Health): Check {
  const check = checkOf('turns');
  const rest = unread > 0 ? `; ${size(unread)} of older months were not read` : '';
  if (lost.length === 0 && damaged === 0) return check.well(`${size(bytes)}, all readable${rest}`);
  const next =
    'Check the disk. A snapshot from before has them: tidemark backup list, then tidemark restore <snapshot> (newer changes are lost)';
  if (lost.length === 0)
    return check.wrong(
      `${counted(damaged, 'part')} of the store cannot be read, its turns are unknown${rest}`,
      next,
    );
  const shown = lost.slice(0, SHOWN).map(({ id, at }) => `${id} (${at.slice(0, 'YYYY-MM-DD HH:MM'.length)})`);
  const more = lost.length > SHOWN ? ` and ${lost.length - SHOWN} more` : '';
  return check.wrong(
    `the conversation of ${counted(lost.length, 'turn')} is lost: ${shown.join(', ')}${more}; the memories made from them are kept${rest}`,
    next,
  );
}

export function index({ indexProblems, memories, turns, rebuilt }: Health, client: Client): Check {
  const check = checkOf('index');
  const since = rebuilt ? `; rebuilt ${age(rebuilt.at, new Date())}: ${rebuilt.why}` : '';
  if (indexProblems.length === 0)
    return check.well(`${counted(memories, 'memory')}, ${counted(turns, 'turn')}, intact${since}`);
  return check.wrong(indexProblems.slice(0, SHOWN).join('; '), 'Rebuild it with: tidemark doctor --fix', () =>
    reindex(client),
  );
}

/** Snapshots are automatic, so one that is long overdue means that they fail. */
export async function backups(client: Client, days: number, health: Health): Promise<Check> {
  const check = checkOf('backups');
  const { folder, snapshots } = await client.call('backup.list', {});
  const last = snapshots
    .map(({ at }) => at)
    .toSorted()
    .at(-1);
  const count = last
    ? `${counted(snapshots.length, 'snapshot')}, the last ${age(last, new Date())}`
    : 'no snapshot yet';
  const take = async (): Promise<string> => {
    await client.call('backup', {});
    return 'took a snapshot';
  };
  if (days === 0) return check.note(`${count}; only by hand (backup.days is 0)`, 'Take one: tidemark backup');
  if (health.memories + health.turns === 0) return check.well(`${count}; nothing to back up yet`);
  const overdueMs = (days + OVERDUE_DAYS) * DAY_MS;
  if (last !== undefined && Date.now() - Date.parse(last) > overdueMs)
    return check.wrong(
      `${count}, in ${folder}: the next one is overdue`,
      'Take one and see why: tidemark backup',
      take,
    );
  return check.well(last ? `${count}, in ${folder}` : `${count}; the first follows within minutes`);
}

/** Reports an index that cannot be opened. */
export function brokenIndex(reason: string, client: Client): Check {
  const check = checkOf('index');
  return check.wrong(reason, 'Rebuild it with: tidemark doctor --fix', () => reindex(client));
}

/** Without a daemon, only the inbox can be counted. */
export function spool(places: Places, live: Live | undefined, client: Client): Check {
  const check = checkOf('waiting events');
  const waiting = jsonFiles(places.inbox).length;
  const drain = async (): Promise<string> => {
    await client.call('drain', {});
    return 'processed the waiting events';
  };
  if (!live) {
    if (waiting === 0) return check.well('none');
    return check.note(
      `${counted(waiting, 'event')}, stored by hooks while no daemon ran`,
      'The next start processes them: tidemark start',
      drain,
    );
  }
  const { depth, oldest } = live.status.spool;
  const since = oldest ? `, the oldest ${age(oldest, new Date())}` : '';
  if (depth > 0 && oldest !== undefined && Date.now() - Date.parse(oldest) > STUCK_MS && !live.status.busy)
    return check.wrong(
      `${counted(depth, 'event')}${since}, and none is being processed`,
      'Process them: tidemark doctor --fix',
      drain,
    );
  return check.well(depth + waiting === 0 ? 'none' : `${counted(depth + waiting, 'event')}${since}`);
}

/** Events set aside after three failed tries. They are stored and never retried automatically. */
export function failedEvents(places: Places): Check {
  const check = checkOf('events set aside');
  const entries = jsonFiles(places.setAside).map((file) => jsonOf(join(places.setAside, file)));
  if (entries.length === 0) return check.well('none');
  const reasons = Object.entries(Object.groupBy(entries, ({ reason }) => String(reason ?? 'reason unknown')));
  const summary = reasons
    .toSorted(([, a], [, b]) => (b?.length ?? 0) - (a?.length ?? 0))
    .slice(0, SHOWN)
    .map(([reason, of]) => (of?.length === 1 ? reason : `${reason} (${of?.length}×)`));
  return check.wrong(
    `${entries.length}: ${summary.join('; ')}`,
    'List: tidemark failed. Try again: tidemark failed retry --all. Delete: tidemark failed drop --all',
  );
}

export function redactions({ redacted }: Health): Check {
  const check = checkOf('redacted secrets');
  const counts = Object.entries(redacted).toSorted(([, a], [, b]) => b - a);
  const summary = counts.map(([type, n]) => `${type} ${n}`).join(', ');
  return check.well(summary || 'none so far');
}

async function reindex(client: Client): Promise<string> {
  await client.call('reindex', {});
  return 'rebuilt the index from journal, turn store and ledger';
}

function jsonFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json') && !name.startsWith('.'));
  } catch {
    return [];
  }
}

export function sampleProject({ sample }: Health, client: Client): readonly Check[] {
  if (!sample) return [];
  const { project, memories, sessions, own } = sample;
  const kept = own > 0 ? `; ${counted(own, 'memory')} of your own in it would stay` : '';
  return [
    checkOf('sample project').note(
      `${project} is invented: ${counted(memories, 'memory')} from ${counted(sessions, 'session')}, stored by npm start of an earlier version${kept}`,
      'Remove it with: tidemark doctor --fix',
      async () => {
        const removed = await client.call('sample.remove', {});
        return `removed ${counted(removed?.memories ?? 0, 'memory')} of the invented project ${project}`;
      },
    ),
  ];
}
