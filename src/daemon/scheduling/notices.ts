/**
 * What a person is told at the start of a session, once: that Tidemark is of another version now, that a newer one is
 * there, what is missing for what they chose. A cause that goes away and comes back is told again.
 */
import { isNewer, VERSION, type Places } from '../../core/index.ts';
import { readTextSync, STATE_BYTES, writeAtomicallySync } from '../../files/index.ts';

/** Kept small: a session's first lines are the person's, not ours. */
const MOST_AT_ONCE = 3;

export class Notices {
  readonly #places: Places;
  /** What was told last, by cause. */
  readonly #told: Map<string, string>;
  readonly #causes = new Map<string, string>();
  #known: string | undefined;

  constructor(places: Places) {
    this.#places = places;
    this.#told = readTold(places.notices);
    this.#known = firstLine(places.knownVersion);
  }

  /** The version of a hook that reports: the plugin the person has now, whoever brought it. */
  seen(version: string): void {
    if (version === this.#known || !isVersion(version)) return;
    const before = this.#known;
    // An older session's hooks still report after an update: that is no news.
    if (before !== undefined && isNewer(before, version) && isNewer(VERSION, version)) return;
    this.#known = version;
    keep(this.#places.knownVersion, `${version}\n`);
    if (before !== undefined)
      this.set(
        'updated',
        isNewer(version, before)
          ? `Tidemark updated ${before} → ${version}.`
          : `Tidemark went back from ${before} to ${version}.`,
      );
  }

  /** `text` undefined: the cause is gone. */
  set(cause: string, text: string | undefined): void {
    if (text !== undefined) return void this.#causes.set(cause, text);
    this.#causes.delete(cause);
    if (this.#told.delete(cause)) this.#save();
  }

  /** What was not told yet; it counts as told now. */
  take(): readonly string[] {
    const fresh = [...this.#causes]
      .filter(([cause, text]) => this.#told.get(cause) !== text)
      .slice(0, MOST_AT_ONCE);
    for (const [cause, text] of fresh) this.#told.set(cause, text);
    if (fresh.length > 0) this.#save();
    return fresh.map(([, text]) => text);
  }

  #save(): void {
    keep(this.#places.notices, JSON.stringify(Object.fromEntries(this.#told)));
  }
}

/** Adds lines for the person to a hook's answer, which may be empty. */
export function withNotices(output: string, lines: readonly string[]): string {
  if (lines.length === 0) return output;
  const answer = (output === '' ? {} : JSON.parse(output)) as { systemMessage?: string };
  return JSON.stringify({
    ...answer,
    systemMessage: [answer.systemMessage, ...lines].filter(Boolean).join('\n'),
  });
}

function isVersion(text: string): boolean {
  return /^\d+\.\d+\.\d+[\w.+-]{0,40}$/.test(text);
}

function readTold(path: string): Map<string, string> {
  try {
    return new Map(Object.entries(JSON.parse(readTextSync(path, STATE_BYTES)) as Record<string, string>));
  } catch {
    return new Map();
  }
}

function firstLine(path: string): string | undefined {
  try {
    return readTextSync(path, STATE_BYTES).split('\n', 1)[0] || undefined;
  } catch {
    return undefined;
  }
}

/** A few bytes, a few times in a month. What cannot be written is told once more. */
function keep(path: string, text: string): void {
  try {
    writeAtomicallySync(path, text);
  } catch {
    // A full disk has its own message.
  }
}
