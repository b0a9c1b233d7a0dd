/**
 * The append-only log of everything that is neither a memory nor a turn: one JSON line per record, one file per month.
 * Of records with the same key the last one counts. Lines are removed only when a memory is forgotten.
 */
import { open as openFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { given, TidemarkError } from '../../core/index.ts';
import {
  AppendLogs,
  SharedLock,
  readLines,
  type Line,
  makeFolder,
  removeTemporaries,
  replaceFile,
  type ReportProblem,
} from '../../files/index.ts';
import { parseRecord, type LedgerKind, type LedgerRecord } from './record.ts';

const NAME = /^\d{4}-\d{2}\.jsonl$/;
const NEWLINE = 0x0a;
const MONTH = /^\d{4}-(0[1-9]|1[0-2])(?=-)/;

export interface LedgerOptions {
  readonly report?: ReportProblem;
}

export class Ledger {
  readonly #folder: string;
  readonly #report: ReportProblem;
  readonly #files = new AppendLogs();
  readonly #lock = new SharedLock();

  private constructor(folder: string, report: ReportProblem) {
    this.#folder = folder;
    this.#report = report;
  }

  static async open(folder: string, { report = () => {} }: LedgerOptions = {}): Promise<Ledger> {
    await makeFolder(folder);
    await removeTemporaries(folder);
    const ledger = new Ledger(folder, report);
    for (const path of await ledger.#paths()) await repairTail(path);
    return ledger;
  }

  /** Resolves when all records are durable. The records of one month are written together or not at all. */
  async append(records: LedgerRecord | readonly LedgerRecord[]): Promise<void> {
    const months = new Map<string, string>();
    for (const record of [records].flat() as LedgerRecord[]) {
      const month = MONTH.exec(record.at)?.[0];
      if (month === undefined)
        throw new TidemarkError('bad-record', `a ${record.kind} record without a valid time`);
      months.set(month, `${months.get(month) ?? ''}${JSON.stringify(record)}\n`);
    }
    await this.#lock.pass();
    await Promise.all(
      [...months].map(([month, lines]) => this.#files.append(this.#path(month), Buffer.from(lines))),
    );
  }

  /**
   * Yields the records in the order of writing, month by month. With `only`, other kinds are not checked against their
   * schema, which takes most of the time; a line that is no JSON is reported all the same.
   */
  async *read(only?: LedgerKind): AsyncGenerator<LedgerRecord> {
    for (const path of await this.#paths()) {
      const end = this.#files.durableSize(path);
      let line = 0;
      for await (const { bytes } of readLines(path, given({ end }))) {
        line++;
        if (bytes?.length === 0) continue;
        const parsed = bytes
          ? parseRecord(bytes.toString('utf8'), only)
          : ({ kind: 'malformed', reason: 'too long' } as const);
        if (parsed.kind === 'record') yield parsed.record;
        if (parsed.kind === 'malformed') this.#report({ file: path, line, reason: parsed.reason });
      }
    }
  }

  /**
   * Removes records permanently and returns their number. A file that is rewritten also loses its unreadable lines,
   * because they may contain what has to be forgotten.
   */
  erase(matches: (record: LedgerRecord) => boolean): Promise<number> {
    return this.#lock.rewrite(async () => {
      let count = 0;
      for (const path of await this.#paths()) count += await this.#eraseIn(path, matches);
      return count;
    });
  }

  async close(): Promise<void> {
    await this.#lock.pass();
    await this.#files.closeAll();
  }

  async #eraseIn(path: string, matches: (record: LedgerRecord) => boolean): Promise<number> {
    await this.#files.close(path);
    let count = 0;
    for await (const { bytes } of readLines(path)) {
      const parsed = bytes && parseRecord(bytes.toString('utf8'));
      if (parsed?.kind === 'record' && matches(parsed.record)) count++;
    }
    if (count === 0) return 0;
    await replaceFile(path, remainingLines(path, matches));
    return count;
  }

  async #paths(): Promise<string[]> {
    const names = (await readdir(this.#folder)).filter((name) => NAME.test(name)).toSorted();
    return names.map((name) => join(this.#folder, name));
  }

  #path(month: string): string {
    return join(this.#folder, `${month}.jsonl`);
  }
}

async function* remainingLines(
  path: string,
  matches: (record: LedgerRecord) => boolean,
): AsyncGenerator<Buffer> {
  for await (const { bytes } of readLines(path)) {
    const parsed = bytes && parseRecord(bytes.toString('utf8'));
    if (!parsed || parsed.kind === 'malformed') continue;
    if (parsed.kind === 'record' && matches(parsed.record)) continue;
    yield Buffer.concat([bytes, Buffer.from('\n')]);
  }
}

/** Removes a last line that a crash cut off, because it was never acknowledged; adds a newline that an editor left out. */
async function repairTail(path: string): Promise<void> {
  if (await endsWithNewline(path)) return;
  let tail: Line | undefined;
  for await (const line of readLines(path)) tail = line;
  if (!tail || tail.ended) return;
  const isComplete =
    tail.bytes !== undefined && parseRecord(tail.bytes.toString('utf8')).kind !== 'malformed';
  const file = await openFile(path, 'r+');
  try {
    if (isComplete) await file.write('\n', tail.end);
    else await file.truncate(tail.start);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function endsWithNewline(path: string): Promise<boolean> {
  const file = await openFile(path, 'r');
  try {
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    return size > 0 && (await file.read(last, 0, 1, size - 1)).bytesRead === 1 && last[0] === NEWLINE;
  } finally {
    await file.close();
  }
}
