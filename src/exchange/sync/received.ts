/**
 * Answers of a team server as a client reads them: row by row. A row that this version cannot read is set aside with its
 * reason, and the other rows of its page are read. Pure.
 */
import { given } from '../../core/index.ts';
import * as v from 'valibot';
import { Author, Change, id, name, PullAnswer, text, Version, WireEntry } from './wire.ts';

type SeenChange = PullAnswer['changes'][number];

/** A change that this version cannot read. It is asked for again by its number. */
export interface SkippedChange {
  readonly seq: number;
  readonly id?: string;
  readonly reason: string;
}

export interface PulledPage extends Omit<PullAnswer, 'changes'> {
  readonly changes: readonly SeenChange[];
  readonly skipped: readonly SkippedChange[];
}

/** A number too large to count with is cut here; clocks.ts decides what it counts as. */
const clock = v.pipe(
  v.number(),
  v.minValue(0),
  v.transform((given) => Math.min(Math.floor(given), Number.MAX_SAFE_INTEGER)),
);
const version = v.object({ ...Version.entries, clock });
const [put, tombstone, withdraw] = Change.options;
const Row = v.intersect([
  v.variant('op', [
    v.object({ ...put.entries, entry: v.object({ ...WireEntry.entries, version }) }),
    v.object({ ...tombstone.entries, version }),
    v.object({ ...withdraw.entries, version }),
  ]),
  v.object({ seq: PullAnswer.entries.next, author: Author }),
]);

/** A page whose rows are not parsed yet. */
export const PulledFrame = v.object({
  ...PullAnswer.entries,
  changes: v.pipe(v.array(v.unknown()), v.readonly()),
});

/** The parts of a push answer that a client reads. Unknown outcomes of a newer server count as not stored. */
export const PushedAnswer = v.object({
  results: v.pipe(v.array(v.object({ id, outcome: name, reason: v.exactOptional(text) })), v.readonly()),
});
export type PushedAnswer = v.InferOutput<typeof PushedAnswer>;

/** @param after the number the page was asked from */
export function readPage(
  { changes: rows, ...frame }: v.InferOutput<typeof PulledFrame>,
  after: number,
): PulledPage {
  const changes: SeenChange[] = [];
  const skipped: SkippedChange[] = [];
  let last = after;
  for (const row of rows) {
    const read = v.safeParse(Row, row);
    if (read.success) changes.push(read.output);
    else skipped.push(skippedOf(row, last, read.issues[0]));
    last = (read.success ? read.output.seq : skipped.at(-1)?.seq) ?? last;
  }
  return { ...frame, changes, skipped };
}

function skippedOf(row: unknown, last: number, issue: v.BaseIssue<unknown>): SkippedChange {
  const { seq } = partOf(SeqOnly, row) ?? { seq: last + 1 }; // rows come in order: asking from `last` gives this one
  const found = partOf(IdOnly, row)?.id ?? partOf(EntryIdOnly, row)?.entry.id;
  const where = v.getDotPath(issue);
  const reason = where === null ? issue.message : `${where}: ${issue.message}`;
  return { seq, ...given({ id: found }), reason: reason.slice(0, LONGEST_REASON) };
}

const LONGEST_REASON = 200;
const SeqOnly = v.object({ seq: PullAnswer.entries.next });
const IdOnly = v.object({ id });
const EntryIdOnly = v.object({ entry: v.object({ id }) });

function partOf<S extends v.GenericSchema>(schema: S, row: unknown): v.InferOutput<S> | undefined {
  const read = v.safeParse(schema, row);
  return read.success ? read.output : undefined;
}
