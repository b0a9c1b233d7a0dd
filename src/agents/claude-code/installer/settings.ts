/**
 * Decides the content of the client's settings.json at uninstall. The client rewrites the whole file when it installs a
 * plugin, so a copy from before is stored. Uninstall restores that copy if nothing else has changed, and otherwise
 * removes only our keys. Pure; the caller reads and writes.
 */
import { isDeepStrictEqual } from 'node:util';
import { withItems, withoutItems, withoutMember } from '../../installing/json-text.ts';

export const MARKETPLACE = 'tidemark';
export const PLUGIN = `tidemark@${MARKETPLACE}`;

/** The keys that the client adds for our plugin. */
const OURS = [
  ['enabledPlugins', PLUGIN],
  ['extraKnownMarketplaces', MARKETPLACE],
  ['pluginConfigs', PLUGIN],
] as const;

/** Rules that let the agent write notes without a dialog. Added only if the user wants them. */
export const NOTE_RULES: readonly string[] = [
  'mcp__plugin_tidemark_memory__remember',
  'mcp__plugin_tidemark_memory__resolve',
];
const ALLOW = ['permissions', 'allow'] as const;

export interface Snapshot {
  /** Null if there was no file. */
  readonly before: string | null;
  /** Right after the install. */
  readonly after: string;
}

export type Outcome =
  | { readonly kind: 'restored'; readonly text: string | null }
  | { readonly kind: 'keys-removed'; readonly text: string }
  | { readonly kind: 'left'; readonly reason: 'no-file' | 'not-json' | 'changed-meanwhile' | 'not-there' };

export function hasOurs(text: string): boolean {
  const json = parse(text);
  return OURS.some(([container, key]) => Object.hasOwn(objectIn(json, container), key));
}

/** `current`: before the client removed our plugin; `left`: after it. Either is null if there is no file. */
export function settingsAfter(
  current: string | null,
  left: string | null,
  snapshot: Snapshot | undefined,
): Outcome {
  if (current === null) return { kind: 'left', reason: 'no-file' };
  const now = parse(current);
  if (now === undefined) return { kind: 'left', reason: 'not-json' };
  // Keys that the client dropped are restored, but keys that the user added meanwhile stay.
  if (left !== null && !isWithin(reduced(parse(left)), reduced(now)))
    return { kind: 'left', reason: 'changed-meanwhile' };
  if (snapshot && isDeepStrictEqual(reduced(now), reduced(parse(snapshot.after))))
    return { kind: 'restored', text: snapshot.before };
  if (left === current && !hasOurs(current)) return { kind: 'left', reason: 'not-there' };
  return { kind: 'keys-removed', text: withoutOurs(current, snapshot?.before ?? null) };
}

export function allowsNotes(text: string): boolean {
  const allowed = allowedIn(parse(text));
  return NOTE_RULES.every((rule) => allowed.includes(rule));
}

/** Adds the rules for notes. Null: there is no file. Returns undefined if the text is not a JSON object. */
export function withNoteRules(text: string | null): string | undefined {
  const json = parse(text ?? '{}');
  if (json === undefined) return undefined;
  const missing = NOTE_RULES.filter((rule) => !allowedIn(json).includes(rule));
  return missing.length === 0 ? (text ?? '{}') : withItems(text ?? '{}\n', ALLOW, missing);
}

/** Removes the rules for notes, except those that existed before the install. */
export function withoutNoteRules(text: string, before: string | null): string {
  const earlier = before === null ? undefined : parse(before);
  const own = NOTE_RULES.filter((rule) => !allowedIn(earlier).includes(rule));
  const now = parse(text);
  if (!allowedIn(now).some((rule) => own.includes(rule as string))) return text;
  let rest = withoutItems(text, ALLOW, own);
  const had = objectIn(earlier, 'permissions');
  if (allowedIn(parse(rest)).length === 0 && !Object.hasOwn(had, 'allow')) rest = withoutMember(rest, ALLOW);
  const isEmpty = Object.keys(objectIn(parse(rest), 'permissions')).length === 0;
  return isEmpty && !Object.hasOwn(earlier ?? {}, 'permissions')
    ? withoutMember(rest, ['permissions'])
    : rest;
}

/** Removes our keys, and a container that is empty then unless it existed before the install. */
export function withoutOurs(text: string, before: string | null): string {
  const earlier = before === null ? undefined : parse(before);
  let rest = withoutNoteRules(text, before);
  for (const [container, key] of OURS) {
    if (!Object.hasOwn(objectIn(parse(rest), container), key)) continue;
    rest = withoutMember(rest, [container, key]);
    const isEmpty = Object.keys(objectIn(parse(rest), container)).length === 0;
    if (isEmpty && !Object.hasOwn(earlier ?? {}, container)) rest = withoutMember(rest, [container]);
  }
  return rest;
}

type Json = Readonly<Record<string, unknown>>;

function parse(text: string): Json | undefined {
  try {
    const json: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Json) : undefined;
  } catch {
    return undefined;
  }
}

function objectIn(json: Json | undefined, key: string): Json {
  const value = json?.[key];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function allowedIn(json: Json | undefined): readonly unknown[] {
  const { allow } = objectIn(json, 'permissions');
  return Array.isArray(allow) ? (allow as readonly unknown[]) : [];
}

/** The settings without our keys and rules, and without empty containers. */
function reduced(json: Json | undefined): Json {
  const rest = withoutRules({ ...json });
  for (const [container, key] of OURS) {
    if (!Object.hasOwn(rest, container)) continue;
    const left = Object.fromEntries(
      Object.entries(objectIn(rest, container)).filter(([name]) => name !== key),
    );
    if (Object.keys(left).length > 0) rest[container] = left;
    else delete rest[container];
  }
  return rest;
}

function withoutRules(json: Record<string, unknown>): Record<string, unknown> {
  const { permissions: _, ...rest } = json;
  if (typeof json['permissions'] !== 'object' || Array.isArray(json['permissions'])) return json;
  const { allow: __, ...others } = objectIn(json, 'permissions');
  const left = allowedIn(json).filter((rule) => !NOTE_RULES.includes(rule as string));
  const permissions = left.length > 0 ? { ...others, allow: left } : others;
  return Object.keys(permissions).length > 0 ? { ...rest, permissions } : rest;
}

/** Whether `whole` contains all of `part`. */
function isWithin(part: unknown, whole: unknown): boolean {
  if (isDeepStrictEqual(part, whole)) return true;
  if (typeof part !== 'object' || typeof whole !== 'object' || !part || !whole) return false;
  if (Array.isArray(part) || Array.isArray(whole)) return false;
  return Object.entries(part).every(
    ([key, value]) => Object.hasOwn(whole, key) && isWithin(value, (whole as Json)[key]),
  );
}
