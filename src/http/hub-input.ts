/** Schemas of the hub's queries and bodies: every value has a shape and a limit. */
import * as v from 'valibot';
import { AGENTS, LONGEST_TITLE, MEMORY_KINDS, type MemoryState } from '../core/index.ts';

export const PAGE_ROWS = 50;
export const FOUND_ROWS = 20;
const MOST_ROWS = 200;
const LONGEST_QUERY = 2000;
const MOST_ITEMS = 100;

const STATES = ['current', 'open', 'resolved', 'superseded'] as const satisfies readonly MemoryState[];

const count = (least: number, most: number) =>
  v.pipe(v.string(), v.regex(/^\d{1,9}$/), v.transform(Number), v.minValue(least), v.maxValue(most));
/** Without quotes, because `questionOf` puts names in quotes. */
const Name = v.pipe(v.string(), v.minLength(1), v.maxLength(200), v.regex(/^[^"\0]*$/));
const Zone = v.exactOptional(v.pipe(v.string(), v.regex(/^[\w+/-]{1,64}$/)));
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
/** Rows of a list without pages. */
export const ListInput = v.object({ zone: Zone, limit: v.exactOptional(count(1, MOST_ROWS)) });
export const MemoriesInput = v.object({
  project: v.exactOptional(Name),
  kind: v.exactOptional(listOf(MEMORY_KINDS)),
  state: v.exactOptional(listOf(STATES)),
  agent: v.exactOptional(listOf(AGENTS)),
  session: v.exactOptional(Name),
  file: v.exactOptional(Name),
  since: v.exactOptional(Time),
  until: v.exactOptional(Time),
  before: v.exactOptional(CursorText),
  limit: v.exactOptional(count(1, MOST_ROWS)),
  zone: Zone,
});
export const SessionsInput = v.object({
  project: v.exactOptional(Name),
  agent: v.exactOptional(listOf(AGENTS)),
  before: v.exactOptional(CursorText),
  limit: v.exactOptional(count(1, MOST_ROWS)),
});
export const SearchInput = v.object({
  q: v.pipe(v.string(), v.maxLength(LONGEST_QUERY)),
  project: v.exactOptional(Name),
  kind: v.exactOptional(listOf(MEMORY_KINDS)),
  agent: v.exactOptional(listOf(AGENTS)),
  since: v.exactOptional(Time),
  until: v.exactOptional(Time),
  file: v.exactOptional(Name),
  limit: v.exactOptional(count(1, MOST_ROWS)),
});
export const IdInput = v.object({ id: v.pipe(v.string(), v.regex(/^[\w-]{1,80}$/)) });
export const NameInput = v.object({ id: Name });
export const AuditInput = v.object({ before: v.exactOptional(v.pipe(v.string(), v.regex(/^\d{1,15}$/))) });
export const KeyInput = v.object({ key: v.pipe(v.string(), v.regex(/^[\w.]{1,80}$/)) });

const TOO_LONG = `at most ${LONGEST_TITLE} characters are allowed`;
const Revision = v.exactOptional(v.pipe(v.string(), v.regex(/^[\da-z]{1,64}$/)));
const Texts = v.exactOptional(v.pipe(v.array(v.string()), v.maxLength(MOST_ITEMS)));
const Patch = v.strictObject({
  kind: v.exactOptional(v.picklist(MEMORY_KINDS)),
  title: v.exactOptional(
    v.pipe(v.string(), v.regex(/\S/, 'a memory needs a title'), v.maxLength(LONGEST_TITLE, TOO_LONG)),
  ),
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
  value: v.nullable(
    v.union([v.boolean(), v.number(), v.string(), v.pipe(v.array(v.string()), v.readonly())]),
  ),
});
export const ImportBody = v.strictObject({ project: v.exactOptional(Name), since: v.exactOptional(Time) });

/** Writes the filters into the question, as on the command line: page and command line share one parser. */
export function questionOf({
  q,
  project,
  kind,
  agent,
  since,
  until,
  file,
}: Omit<v.InferOutput<typeof SearchInput>, 'limit'>): string {
  return [
    q,
    ...(project ? [`project:"${project}"`] : []),
    ...(kind ? [`kind:${kind.join(',')}`] : []),
    ...(agent ? [`agent:${agent.join(',')}`] : []),
    ...(since ? [`since:${since}`] : []),
    ...(until ? [`until:${until}`] : []),
    ...(file ? [`file:"${file}"`] : []),
  ].join(' ');
}
