/**
 * Announces new entries that will be shared with a team, at the next moment the user looks: after a turn, with a prompt,
 * at the start of a session. Names each entry once, with the command that keeps it local.
 */
import { plainLine, sharingTime, shortened, shortId } from '../../core/index.ts';

export interface WaitingEntry {
  readonly id: string;
  readonly title: string;
  /** When it leaves this machine. */
  readonly until: string;
}

interface Announced extends WaitingEntry {
  readonly team: string;
}

/** Titles in one line. */
const MOST_TITLES = 3;
const LONGEST_TITLE = 80;

export class Announcements {
  readonly #entries = new Map<string, Announced>();
  /** Until when an entry waits; the daemon stays up so that it leaves in time. */
  #lastDue = '';

  add(team: string, entries: readonly WaitingEntry[]): void {
    for (const entry of entries) {
      this.#entries.set(entry.id, { ...entry, team });
      if (entry.until > this.#lastDue) this.#lastDue = entry.until;
    }
  }

  /** For entries that were forgotten, held back or shared meanwhile. */
  drop(ids: readonly string[]): void {
    for (const id of ids) this.#entries.delete(id);
  }

  /** Whether an entry that was announced, or will be, still waits. */
  isWaiting(now: Date): boolean {
    return this.#lastDue > now.toISOString();
  }

  /** Returns one line for each team and time, and names none of them again. */
  take(now: Date): readonly string[] {
    if (this.#entries.size === 0) return [];
    const entries = [...this.#entries.values()].toSorted((a, b) => (a.until < b.until ? -1 : 1));
    this.#entries.clear();
    const groups = Map.groupBy(
      entries,
      ({ team, until }) => `${team}\n${sharingTime(until, now)}\n${until <= now.toISOString()}`,
    );
    return [...groups.values()].map((group) => lineOf(group, now));
  }
}

function lineOf(group: readonly Announced[], now: Date): string {
  const [{ team, until } = { team: '', until: '' }] = group;
  const n = group.length;
  const what = n === 1 ? '1 new entry' : `${n} new entries`;
  const isOver = until <= now.toISOString();
  const happens = isOver ? (n === 1 ? 'was' : 'were') : 'will be';
  const titles = group.slice(0, MOST_TITLES).map(({ title }) => shortened(plainLine(title), LONGEST_TITLE));
  const more = n > MOST_TITLES ? `; and ${n - MOST_TITLES} more (tidemark team)` : '';
  const ids = group.slice(0, MOST_TITLES).map(({ id }) => id);
  const undo = isOver ? 'take back' : 'keep local';
  return `Tidemark: ${what} ${happens} shared with ${team} at ${sharingTime(until, now)}: ${titles.join('; ')}${more} · ${undo}: tidemark share --hold ${ids.map(shortId).join(' ')}`;
}
