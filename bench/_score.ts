/**
 * Scores a distiller's memories against labels. A memory is right if its kind is one of the label's and it contains all of
 * the label's words. Each label is matched once. Every other memory is wrong, unless the label marks it as optional.
 */
import type { MemoryDraft } from '../src/core/index.ts';
import type { Label, Wanted } from './labels/index.ts';

export interface Case {
  readonly key: string;
  readonly right: readonly MemoryDraft[];
  readonly optional: readonly MemoryDraft[];
  readonly wrong: readonly MemoryDraft[];
  readonly missed: readonly Wanted[];
}

export interface Score {
  readonly turns: number;
  /** Turns that contain nothing worth keeping. */
  readonly empty: number;
  readonly wanted: number;
  readonly made: number;
  readonly right: number;
  readonly optional: number;
  readonly wrong: number;
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

export function judge(label: Label, made: readonly MemoryDraft[]): Case {
  const required = label.keep.filter((wanted) => !wanted.optional);
  const met = pairs(required, made);
  const right = new Set(met.values());
  const rest = made.filter((draft) => !right.has(draft));
  const accepted = new Set(
    pairs(
      label.keep.filter((wanted) => wanted.optional),
      rest,
    ).values(),
  );
  return {
    key: label.key,
    right: [...right],
    optional: [...accepted],
    wrong: rest.filter((draft) => !accepted.has(draft)),
    missed: required.filter((wanted) => !met.has(wanted)),
  };
}

export function total(cases: readonly Case[]): Score {
  const sum = (count: (one: Case) => number) => cases.reduce((all, one) => all + count(one), 0);
  const [right, optional] = [sum((one) => one.right.length), sum((one) => one.optional.length)];
  const [wrong, missed] = [sum((one) => one.wrong.length), sum((one) => one.missed.length)];
  const precision = ratio(right, right + wrong);
  const recall = ratio(right, right + missed);
  return {
    turns: cases.length,
    empty: cases.filter((one) => one.right.length + one.missed.length === 0).length,
    wanted: right + missed,
    made: right + optional + wrong,
    right,
    optional,
    wrong,
    precision,
    recall,
    f1: ratio(2 * precision * recall, precision + recall),
  };
}

export function covers(wanted: Wanted, draft: MemoryDraft): boolean {
  if (!wanted.kinds.includes(draft.kind)) return false;
  if (wanted.personal && draft.personal !== true) return false;
  const text = [draft.title, draft.body, draft.reason ?? '', ...draft.facts].join('\n');
  const words = wanted.must.map((pattern) => new RegExp(pattern, 'i'));
  if (!words.every((word) => word.test(text)) || !words.some((word) => word.test(draft.title))) return false;
  return (wanted.files ?? []).every((end) => draft.files.some((file) => file.endsWith(end)));
}

/** Matches as many labels as possible to one memory each (augmenting paths, so order does not matter). */
function pairs(labels: readonly Wanted[], made: readonly MemoryDraft[]): ReadonlyMap<Wanted, MemoryDraft> {
  const owner = new Map<MemoryDraft, Wanted>();
  const place = (wanted: Wanted, tried: Set<MemoryDraft>): boolean => {
    for (const draft of made) {
      if (tried.has(draft) || !covers(wanted, draft)) continue;
      tried.add(draft);
      const other = owner.get(draft);
      if (other !== undefined && !place(other, tried)) continue;
      owner.set(draft, wanted);
      return true;
    }
    return false;
  };
  for (const wanted of labels) place(wanted, new Set());
  return new Map([...owner].map(([draft, wanted]) => [wanted, draft]));
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
