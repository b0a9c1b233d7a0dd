/**
 * Messages for the user, shown once at the start of a session: Tidemark was updated, a newer version exists, a key or a
 * model is missing. A cause that goes away and returns is shown again.
 */
import { isNewer, VERSION, type Places, plainText, userMessage } from '../../core/index.ts';
import { readTextSync, STATE_BYTES, writeAtomicallySync, firstLineOf } from '../../files/index.ts';

/** Few, because they take the first lines of a session. */
const MAX_AT_ONCE = 3;

export class Notices {
  readonly #places: Places;
  /** The text shown last, by cause. */
  readonly #shown: Map<string, string>;
  readonly #causes = new Map<string, string>();
  #known: string | undefined;

  constructor(places: Places) {
    this.#places = places;
    this.#shown = readShown(places.notices);
    this.#known = firstLineOf(places.knownVersion);
  }

  /** Takes the version of a hook that reports, which is that of the installed plugin. */
  seen(version: string): void {
    if (version === this.#known || !isVersion(version)) return;
    const before = this.#known;
    // Hooks of an older session still report after an update.
    if (before !== undefined && isNewer(before, version) && isNewer(VERSION, version)) return;
    this.#known = version;
    writeState(this.#places.knownVersion, `${version}\n`);
    if (before !== undefined)
      this.set(
        'updated',
        isNewer(version, before)
          ? `Tidemark updated ${before} → ${version}.`
          : `Tidemark was downgraded: ${before} → ${version}.`,
      );
  }

  /** `text` undefined: the cause is gone. */
  set(cause: string, text: string | undefined): void {
    if (text !== undefined) return void this.#causes.set(cause, text);
    this.#causes.delete(cause);
    if (this.#shown.delete(cause)) this.#save();
  }

  /** Returns what was not shown yet, and marks it as shown. */
  take(): readonly string[] {
    const fresh = [...this.#causes]
      .filter(([cause, text]) => this.#shown.get(cause) !== text)
      .slice(0, MAX_AT_ONCE);
    for (const [cause, text] of fresh) this.#shown.set(cause, text);
    if (fresh.length > 0) this.#save();
    return fresh.map(([, text]) => text);
  }

  #save(): void {
    writeState(this.#places.notices, JSON.stringify(Object.fromEntries(this.#shown)));
  }
}

/** Adds lines for the user to a hook's answer, which may be empty. */
export function withNotices(output: string, lines: readonly string[]): string {
  if (lines.length === 0) return output;
  const answer = (output === '' ? {} : JSON.parse(output)) as { systemMessage?: string };
  return JSON.stringify({
    ...answer,
    systemMessage: [answer.systemMessage, ...lines.map((line) => userMessage(plainText(line)))]
      .filter(Boolean)
      .join('\n'),
  });
}

function isVersion(text: string): boolean {
  return /^\d+\.\d+\.\d+[\w.+-]{0,40}$/.test(text);
}

function readShown(path: string): Map<string, string> {
  try {
    return new Map(Object.entries(JSON.parse(readTextSync(path, STATE_BYTES)) as Record<string, string>));
  } catch {
    return new Map();
  }
}

/** Ignores failures: the message is then shown once more. */
function writeState(path: string, text: string): void {
  try {
    writeAtomicallySync(path, text, { synced: false });
  } catch {
    // A full disk is reported elsewhere.
  }
}
