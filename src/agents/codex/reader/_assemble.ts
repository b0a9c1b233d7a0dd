/** Assembles turns from records in file order. Decides what begins a turn. Buffers one turn. */
import { contentHash, given } from '../../../core/index.ts';
import type { Line } from '../../../files/index.ts';
import type { TranscriptNotes, TurnRead } from '../../transcript.ts';
import type { FileHead } from './head.ts';
import type { TranscriptRecord } from './_records.ts';
import { TurnBuilder } from './_turn-builder.ts';

interface Options {
  readonly head: FileHead | undefined;
  readonly continues: string | undefined;
  readonly notes: TranscriptNotes;
}

type Context = Extract<TranscriptRecord, { kind: 'context' }>;

export class TurnAssembler {
  readonly #options: Options;
  #current: TurnBuilder | undefined;
  #person: string | undefined;
  /** Folder and model that were written before a prompt without `task_started`, as old versions did. */
  #context: { readonly record: Context; readonly line: Line } | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.#person = options.continues;
  }

  /** Takes the next record; returns a turn that is final. */
  push(record: TranscriptRecord, line: Line): TurnRead | undefined {
    const { notes } = this.#options;
    switch (record.kind) {
      case 'title':
        notes.title = record.title;
        return undefined;
      case 'system':
        notes.system += 1;
        return undefined;
      case 'started':
        return record.turn === undefined ? undefined : this.#begin(record.turn, true, record, line);
      case 'prompt':
        return this.#prompt(record, line);
      default:
        this.#within(record, line);
        return undefined;
    }
  }

  /** The turn that the file ends with. */
  finish(): TurnRead | undefined {
    return this.#current?.read(false, this.#person);
  }

  #prompt(record: Extract<TranscriptRecord, { kind: 'prompt' }>, line: Line): TurnRead | undefined {
    const isRunning =
      this.#current?.isNamed === true &&
      (record.turn === undefined ? !this.#current.hasEnded : record.turn === this.#current.id);
    if (isRunning) {
      this.#current?.prompt(record, line);
      return undefined;
    }
    const over = this.#begin(record.turn ?? idOf(record), record.turn !== undefined, record, line);
    this.#current?.prompt(record, line);
    return over;
  }

  #within(
    record: Exclude<TranscriptRecord, { kind: 'title' | 'system' | 'started' | 'prompt' }>,
    line: Line,
  ): void {
    const { at, turn } = record;
    const current = this.#current;
    const isOurs = current !== undefined && (turn === undefined || !current.isNamed || turn === current.id);
    if (record.kind === 'context') {
      this.#context ??= { record, line };
      if (isOurs && !current.hasEnded) current.context(record);
      return;
    }
    this.#context = undefined;
    // A background command of an earlier turn may end during this one.
    if (!isOurs) {
      this.#options.notes.stray += 1;
      return;
    }
    switch (record.kind) {
      case 'answer':
        return current.answer(record, line);
      case 'item':
        return current.item(record.item, at, line);
      case 'sent':
        return current.sent(record.payload, at, line);
      case 'shown':
        return current.shown(record.payload, at, line);
      case 'ended':
        return current.end(record.how, at, line);
    }
  }

  #begin(
    id: string,
    isNamed: boolean,
    { at, root }: { readonly at?: string; readonly root?: string },
    line: Line,
  ): TurnRead | undefined {
    const over = this.#current?.read(true, this.#person);
    if (this.#current?.origin === 'person') this.#person = this.#current.id;
    const before = isNamed ? undefined : this.#context;
    const { head } = this.#options;
    this.#current = new TurnBuilder({
      id,
      isNamed,
      head,
      line: before ? { ...line, start: before.line.start } : line,
      ...given({ at, root }),
    });
    if (before) this.#current.context(before.record);
    this.#context = undefined;
    return over;
  }
}

/** Versions before about 0.100 name no turns. A copy of the file in a fork has the same times and texts. */
function idOf({ at, text }: { readonly at?: string; readonly text: string }): string {
  return `codex-${contentHash(`${at ?? ''}\n${text}`).slice(0, 32)}`;
}
