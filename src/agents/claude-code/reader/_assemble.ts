/** Assembles turns from records in file order. Decides what begins a turn. Buffers two turns at most. */
import { given } from '../../../core/index.ts';
import type { Line } from '../../../files/index.ts';
import type { TranscriptNotes, TurnRead } from '../../transcript.ts';
import { type Head, type TranscriptRecord, SYNTHETIC_MODEL } from './_records.ts';
import { TurnBuilder } from './_turn-builder.ts';

type Prompt = Extract<TranscriptRecord, { kind: 'prompt' }>;
type Answer = Extract<TranscriptRecord, { kind: 'answer' }>;

/** One message of a few blocks, a line each. */
const MAX_EARLY = 16;

interface Options {
  readonly session: string;
  readonly continues: string | undefined;
  readonly notes: TranscriptNotes;
}

export class TurnAssembler {
  readonly #options: Options;
  readonly #seen = new Set<string>();
  #current: TurnBuilder | undefined;
  /** The previous turn: with two clients on one session, an answer to it may still follow. */
  #before: TurnBuilder | undefined;
  /** May become a turn: a slash command, unless it is a local one, or a message of the client after the turn's end,
   * if an answer follows. */
  #waiting: { readonly turn: TurnBuilder; readonly as: 'command' | 'aside' } | undefined;
  /** Answers before the first prompt. A client that creates the file may write an answer before its prompt. */
  #early: { readonly record: Answer; readonly line: Line }[] = [];
  #person: string | undefined;
  #sidechain: boolean | undefined;
  #titleGiven = false;

  constructor(options: Options) {
    this.#options = options;
    this.#person = options.continues;
  }

  /** Takes the next record; returns a turn that is final. */
  push(record: TranscriptRecord, line: Line): TurnRead | undefined {
    if ('head' in record && !this.#belongs(record.head)) return undefined;
    switch (record.kind) {
      case 'title':
        return this.#title(record.title, record.given);
      case 'stop':
        if (this.#waiting === undefined) this.#current?.stop(record.sign, line);
        return undefined;
      case 'prompt':
        return this.#prompt(record, line);
      case 'shell':
        return this.#begin(this.#builder(record.head, line, `!${record.command}`, 'person', record.command));
      case 'shell-output':
        if (this.#current?.shell === undefined) return undefined;
        this.#current.shellOutput(record.head, line, record.stdout, record.stderr);
        return undefined;
      case 'command-output':
        return this.#commandOutput(record.head, line, record.text);
      case 'aside':
        return this.#aside(record.head, line, record.text);
      case 'added':
        this.#current?.addPrompt(record.head, line, record.text);
        return undefined;
      case 'results':
        this.#owner(record.head)?.results(record.head, line, record.results);
        return undefined;
      case 'answer':
        return this.#answer(record, line);
      case 'interrupt': {
        const over = this.#confirm();
        this.#owner(record.head)?.cut(record.head, line, record.escape);
        return over;
      }
    }
  }

  /** The turns the file ends with. */
  finish(): readonly TurnRead[] {
    return [this.#done(this.#before, true), this.#done(this.#current, false)].filter(
      (turn) => turn !== undefined,
    );
  }

  /** A file has the lines of a session or of a subagent; old versions mixed both, and one kind is skipped. */
  #belongs(head: Head): boolean {
    this.#sidechain ??= head.sidechain;
    return head.sidechain === this.#sidechain;
  }

  #title(title: string, given: boolean): undefined {
    if (this.#titleGiven && !given) return;
    this.#titleGiven ||= given;
    this.#options.notes.title = title;
  }

  #prompt(record: Prompt, line: Line): TurnRead | undefined {
    const { head, text, origin } = record;
    if (this.#current?.has(head.uuid)) return undefined;
    if (!record.command && this.#waiting === undefined && this.#current?.continuesPrompt(head)) {
      this.#current.addPrompt(head, line, text);
      return undefined;
    }
    const turn = this.#builder(head, line, text, origin);
    if (!record.command) return this.#begin(turn);
    this.#waiting = { turn, as: 'command' };
    return undefined;
  }

  #commandOutput(head: Head, line: Line, text: string): undefined {
    if (this.#waiting !== undefined) {
      this.#waiting = undefined;
      return;
    }
    if (this.#current?.untouched && this.#current.id === head.parent)
      this.#current.commandOutput(head, line, text);
  }

  #aside(head: Head, line: Line, text: string): TurnRead | undefined {
    if (text === '') return undefined;
    if (this.#waiting !== undefined) {
      const { turn, as } = this.#waiting;
      turn.note(head, line);
      return as === 'command' ? this.#confirm() : undefined;
    }
    if (this.#current?.complete !== false) {
      this.#waiting = { turn: this.#builder(head, line, text, 'task'), as: 'aside' };
      return undefined;
    }
    this.#current.note(head, line);
    return undefined;
  }

  #answer(record: Answer, line: Line): TurnRead | undefined {
    const byAgent = record.model !== SYNTHETIC_MODEL || record.failed;
    if (!byAgent && record.texts.length === 0) return undefined;
    const over = this.#confirm();
    const owner = this.#owner(record.head);
    owner?.answer(record, line);
    if (owner === undefined) this.#stray(record, line);
    return over;
  }

  #stray(record: Answer, line: Line): void {
    this.#options.notes.stray += 1;
    if (this.#early.length < MAX_EARLY) this.#early.push({ record, line });
  }

  #owner(head: Head): TurnBuilder | undefined {
    return head.parent !== undefined && this.#before?.has(head.parent) ? this.#before : this.#current;
  }

  #builder(head: Head, line: Line, prompt: string, from: 'person' | 'task', shell?: string): TurnBuilder {
    const origin = head.sidechain ? 'subagent' : from;
    const continues = origin === 'person' ? undefined : this.#person;
    const session = head.session ?? this.#options.session;
    return new TurnBuilder({ head, line, prompt, origin, session, ...given({ continues, shell }) });
  }

  #confirm(): TurnRead | undefined {
    return this.#waiting === undefined ? undefined : this.#begin(this.#waiting.turn);
  }

  #begin(turn: TurnBuilder): TurnRead | undefined {
    const over = this.#before;
    this.#before = this.#current;
    this.#current = turn;
    this.#waiting = undefined;
    if (turn.origin === 'person') this.#person = turn.id;
    this.#takeEarly(turn);
    return this.#done(over, true);
  }

  /** Early answers from before the prompt was sent belong to a turn outside the part read. */
  #takeEarly(turn: TurnBuilder): void {
    for (const { record, line } of this.#early) {
      if ((record.head.at ?? '') <= turn.startedAt) continue;
      turn.answerBefore(record, line);
      this.#options.notes.stray -= 1;
    }
    this.#early = [];
  }

  /** An old editor extension wrote the history again under new uuids on resume; the message ids stayed the same. */
  #done(turn: TurnBuilder | undefined, over: boolean): TurnRead | undefined {
    const fingerprint = turn?.fingerprint;
    if (turn === undefined || fingerprint === undefined) return turn?.read(over);
    if (this.#seen.has(fingerprint)) {
      this.#options.notes.repeated += 1;
      return undefined;
    }
    this.#seen.add(fingerprint);
    return turn.read(over);
  }
}
