/**
 * The append-only record of what is neither memory nor turn, one readable JSON line each, one file a month. Readers fold
 * records by their key, the last one counts. Lines leave it only when a memory is forgotten.
 */
import { open as openFile, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { TidemarkError } from '../../core/index.ts';
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
import { parseRecord, type LedgerRecord } from './record.ts';

const NAME = /^\d{4}-\d{2}\.jsonl$/;
const MONTH = /^\d{4}-(0[1-9]|1[0-2])(?=-)/;
const MONTH_LENGTH = 'YYYY-MM'.length;

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
    for (const path of await ledger.#paths('')) await mendTail(path);
    return ledger;
  }

  /** Resolves when all are durable. All of one month become durable together or not at all. */
  async append(records: LedgerRecord | readonly LedgerRecord[]): Promise<void> {
    const months = new Map<string, string>();
    for (const record of [records].flat() as LedgerRecord[]) {
      const month = MONTH.exec(record.at)?.[0];
      if (month === undefined)
        throw new TidemarkError('bad-record', `a ${record.kind} record without a proper time`);
      months.set(month, `${months.get(month) ?? ''}${JSON.stringify(record)}\n`);
    }
    await this.#lock.pass();
    await Promise.all(
      [...months].map(([month, lines]) => this.#files.append(this.#path(month), Buffer.from(lines))),
    );
  }

  /** Every record in the order of writing, month by month; with `from` (a time or `YYYY-MM`) from that month on. */
  async *read(from = ''): AsyncGenerator<LedgerRecord> {
    for (const path of await this.#paths(from)) {
      const end = this.#files.durableSize(path);
      let line = 0;
      for await (const { bytes } of readLines(path, 0, end)) {
        line++;
        if (bytes?.length === 0) continue;
        const parsed = bytes
          ? parseRecord(bytes.toString('utf8'))
          : ({ kind: 'malformed', reason: 'too long' } as const);
        if (parsed.kind === 'record') yield parsed.record;
        if (parsed.kind === 'malformed') this.#report({ file: path, line, reason: parsed.reason });
      }
    }
  }

  /**
   * Takes records out for good, and says how many. In a file that is rewritten for it, lines nobody can read go too:
   * they may hold what is to be forgotten.
   */
  erase(matches: (record: LedgerRecord) => boolean): Promise<number> {
    return this.#lock.rewrite(async () => {
      let count = 0;
      for (const path of await this.#paths('')) count += await this.#eraseIn(path, matches);
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
    await replaceFile(path, linesThatStay(path, matches));
    return count;
  }

  async #paths(from: string): Promise<string[]> {
    const names = (await readdir(this.#folder)).filter((name) => NAME.test(name)).toSorted();
    const month = from.slice(0, MONTH_LENGTH);
    return names.filter((name) => basename(name, '.jsonl') >= month).map((name) => join(this.#folder, name));
  }

  #path(month: string): string {
    return join(this.#folder, `${month}.jsonl`);
  }
}

async function* linesThatStay(
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

/** A line cut off by a crash was never acknowledged, and goes; one that an editor left without a newline gets it. */
async function mendTail(path: string): Promise<void> {
  let tail: Line | undefined;
  for await (const line of readLines(path)) tail = line;
  if (!tail || tail.ended) return;
  const isWhole = tail.bytes !== undefined && parseRecord(tail.bytes.toString('utf8')).kind !== 'malformed';
  const file = await openFile(path, 'r+');
  try {
    if (isWhole) await file.write('\n', tail.offset + tail.length);
    else await file.truncate(tail.offset);
    await file.sync();
  } finally {
    await file.close();
  }
}
