/** Reads and writes the client's settings.json, and stores a copy from before the install: 0600, until uninstall. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Places } from '../../../core/index.ts';
import { writeAtomicallySync } from '../../../files/index.ts';
import {
  allowsNotes,
  hasOurs,
  settingsAfter,
  withNoteRules,
  withoutNoteRules,
  type Outcome,
  type Snapshot,
} from './settings.ts';

export class SettingsFile {
  readonly path: string;
  readonly #copies: string;
  readonly #copy: string;

  constructor(places: Pick<Places, 'before'>, configDir: string) {
    this.path = join(configDir, 'settings.json');
    this.#copies = places.before;
    const name = createHash('sha256').update(this.path).digest('hex').slice(0, 12);
    this.#copy = join(places.before, `${name}.json`);
  }

  /** Null if there is no file. */
  read(): string | null {
    return existsSync(this.path) ? readFileSync(this.path, 'utf8') : null;
  }

  /** Stores the copy. A second install keeps the first copy, the only one without our keys. */
  save(before: string | null): void {
    if (before !== null && hasOurs(before)) return;
    const after = this.read();
    if (after === null || !hasOurs(after)) return;
    mkdirSync(this.#copies, { recursive: true, mode: 0o700 });
    const copy = { file: this.path, at: new Date().toISOString(), before, after };
    writeAtomicallySync(this.#copy, JSON.stringify(copy));
  }

  get allowsNotes(): boolean {
    return allowsNotes(this.read() ?? '');
  }

  /** Adds or removes the rules for notes. Returns false if the file is not valid JSON. */
  allowNotes(allowed: boolean): boolean {
    const now = this.read();
    const before = this.#snapshot()?.before ?? null;
    const next = allowed ? withNoteRules(now) : now === null ? null : withoutNoteRules(now, before);
    if (next === undefined) return false;
    if (next !== null && next !== now) this.#write(next);
    return true;
  }

  /** `current`: the file before the client removed our plugin. */
  restore(current: string | null): Outcome {
    const outcome = settingsAfter(current, this.read(), this.#snapshot());
    if (outcome.kind !== 'left') {
      if (outcome.text === null) rmSync(this.path, { force: true });
      else if (outcome.text !== this.read()) this.#write(outcome.text);
    }
    this.forget();
    return outcome;
  }

  forget(): void {
    rmSync(this.#copy, { force: true });
    if (existsSync(this.#copies) && readdirSync(this.#copies).length === 0) rmdirSync(this.#copies);
  }

  #snapshot(): Snapshot | undefined {
    try {
      const { before, after } = JSON.parse(readFileSync(this.#copy, 'utf8')) as Partial<Snapshot>;
      if (typeof after !== 'string' || (before !== null && typeof before !== 'string')) return undefined;
      return { before, after };
    } catch {
      return undefined;
    }
  }

  /** Writes through a link, because users link their settings, and keeps the file's mode. */
  #write(text: string): void {
    const real = existsSync(this.path) ? realpathSync(this.path) : this.path;
    const mode = statSync(real, { throwIfNoEntry: false })?.mode ?? 0o600;
    writeAtomicallySync(real, text, { mode: mode & 0o777 });
  }
}
