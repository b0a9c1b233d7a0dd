/** What may be asked of a hub: every parameter and body has a shape and a limit. What does not fit gets no further. */
import * as v from 'valibot';
import { MEMORY_KINDS, type MemoryState } from '../core/index.ts';
import type { Cursor } from '../database/index.ts';

export const PAGE_ROWS = 50;
export const FOUND_ROWS = 20;
const MOST_ROWS = 200;
const LONGEST_QUERY = 2000;
const MOST_ITEMS = 100;

const STATES = ['current', 'open', 'resolved', 'superseded'] as const satisfies readonly MemoryState[];

const count = (least: number, most: number) =>
  v.pipe(v.string(), v.regex(/^\d{1,9}$/), v.transform(Number), v.minValue(least), v.maxValue(most));
/** No quotes: names end up inside those of a query. */
const Name = v.pipe(v.string(), v.minLength(1), v.maxLength(200), v.regex(/^[^"\0]*$/));
const Zone = v.optional(v.pipe(v.string(), v.regex(/^[\w+/-]{1,64}$/)));
const Time = v.pipe(v.string(), v.regex(/^[\w:.+-]{1,40}$/));
const listOf = <const T extends readonly string[]>(known: T) =>
  v.pipe(
    v.string(),
    v.maxLength(LONGEST_QUERY),
    v.transform((text) => text.split(',')),
    v.array(v.picklist(known)),
  );
/** `2026-11-13T10:00:00.000Z~1jz0p3h7k2m9qx` */
const CursorText = v.pipe(
  v.string(),
  v.regex(/^[\d:.TZ-]{1,40}~[^~\s]{1,200}$/),
  v.transform((text) => {
    const [at = '', id = ''] = text.split('~');
    return { at, id };
  }),
);

export const ZoneInput = v.object({ zone: Zone });
export const MemoriesInput = v.object({
  project: v.optional(Name),
  kind: v.optional(listOf(MEMORY_KINDS)),
  state: v.optional(listOf(STATES)),
  session: v.optional(Name),
  file: v.optional(Name),
  since: v.optional(Time),
  until: v.optional(Time),
  before: v.optional(CursorText),
  limit: v.optional(count(1, MOST_ROWS)),
  zone: Zone,
});
export const SessionsInput = v.object({
  project: v.optional(Name),
  before: v.optional(CursorText),
  limit: v.optional(count(1, MOST_ROWS)),
});
export const SearchInput = v.object({
  q: v.pipe(v.string(), v.maxLength(LONGEST_QUERY)),
  project: v.optional(Name),
  kind: v.optional(listOf(MEMORY_KINDS)),
  since: v.optional(Time),
  until: v.optional(Time),
  file: v.optional(Name),
  limit: v.optional(count(1, MOST_ROWS)),
});
export const IdInput = v.object({ id: v.pipe(v.string(), v.regex(/^[\w-]{1,80}$/)) });
export const NameInput = v.object({ id: Name });
export const KeyInput = v.object({ key: v.pipe(v.string(), v.regex(/^[\w.]{1,80}$/)) });

const Revision = v.exactOptional(v.pipe(v.string(), v.regex(/^[\da-z]{1,64}$/)));
const Texts = v.exactOptional(v.pipe(v.array(v.string()), v.maxLength(MOST_ITEMS)));
const Patch = v.strictObject({
  kind: v.exactOptional(v.picklist(MEMORY_KINDS)),
  title: v.exactOptional(v.pipe(v.string(), v.regex(/\S/, 'a memory needs a title'))),
  body: v.exactOptional(v.string()),
  reason: v.exactOptional(v.string()),
  facts: Texts,
  concepts: Texts,
  files: Texts,
});

export const NothingBody = v.strictObject({});
export const ChangeBody = v.strictObject({ revision: Revision });
export const EditBody = v.strictObject({ revision: Revision, patch: Patch });
export const SupersedeBody = v.strictObject({ revision: Revision, by: IdInput.entries.id });
export const MoveBody = v.strictObject({ revision: Revision, project: Name });
export const ReviewBody = v.variant('verdict', [
  v.strictObject({ verdict: v.picklist(['keep', 'drop']) }),
  v.strictObject({ verdict: v.literal('edit'), patch: Patch }),
]);
export const SettingBody = v.strictObject({
  value: v.nullable(v.union([v.boolean(), v.number(), v.string(), v.array(v.string())])),
});
export const ImportBody = v.strictObject({ project: v.exactOptional(Name), since: v.exactOptional(Time) });

/** The filters as a person would have typed them: one way of understanding them, for page and command line. */
export function questionOf(asked: {
  readonly q: string;
  readonly project?: string | undefined;
  readonly kind?: readonly string[] | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly file?: string | undefined;
}): string {
  const { q, project, kind, since, until, file } = asked;
  return [
    q,
    ...(project ? [`project:"${project}"`] : []),
    ...(kind ? [`kind:${kind.join(',')}`] : []),
    ...(since ? [`since:${since}`] : []),
    ...(until ? [`until:${until}`] : []),
    ...(file ? [`file:"${file}"`] : []),
  ].join(' ');
}

/** What `before` takes back. */
export function cursorText(cursor: Cursor | null): string | null {
  return cursor && `${cursor.at}~${cursor.id}`;
}
