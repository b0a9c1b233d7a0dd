/**
 * The settings that a team can make stricter for the machines of its members, and its own periods. A team's value never
 * loosens what the user or a project has set: the stricter one wins. Pure.
 */
import { MEMORY_KINDS } from '../core/index.ts';
import { parseText, parseValue, type ParsedValue } from './_value.ts';
import type { Config, SettingType, SettingValue } from './settings.ts';

type TeamSetting = SettingType & {
  readonly doc: string;
  /** Applied by the server alone; the others by each machine. */
  readonly where: 'machine' | 'server';
};

/** The shortest periods in days: an owner's key in wrong hands cannot delete what the team just wrote, or its traces. */
const [SHORTEST, SHORTEST_AUDIT] = [30, 90];

const period = (min: number, doc: string) =>
  ({ type: 'integer', default: 0, min, max: 36_500, where: 'server', doc }) as const;

/** Every machine matches each folder against each item, and stores the list in a file that it reads up to 64 KB of. */
const MOST_ITEMS = 100;
const LONGEST_ITEM = 200;
const LIST_BYTES = 32 * 1024;

/** Without a row of the team nothing is stricter. `default` is unused. */
export const TEAM_SETTINGS = {
  'share.delayMinutes': {
    type: 'integer',
    default: 0,
    min: 0,
    max: 10_080,
    where: 'machine',
    doc: 'A new entry waits at least this many minutes before it is sent to the team.',
  },
  'share.neverKinds': {
    type: 'list',
    default: [] as readonly string[],
    pattern: new RegExp(`^(?:${MEMORY_KINDS.join('|')})$`),
    wanted: `kinds: ${MEMORY_KINDS.join(', ')}`,
    where: 'machine',
    doc: 'Kinds of memories that new entries are never sent of.',
  },
  'capture.ignore': {
    type: 'list',
    default: [] as readonly string[],
    where: 'machine',
    doc: 'Further folders in which nothing is captured: paths or globs, `~` is the home of each user.',
  },
  'notes.review': {
    type: 'boolean',
    default: false,
    where: 'machine',
    doc: 'New memories need the approval of the user.',
  },
  'models.localOnly': {
    type: 'boolean',
    default: false,
    where: 'machine',
    doc: 'No text is sent to a model of a third party: `embed.driver` is not `openai`.',
  },
  'retention.memories': period(
    SHORTEST,
    'Days after which memories are forgotten on every machine, unless they changed since. Open entries and preferences stay.',
  ),
  'retention.revisions': period(SHORTEST, 'Days after which replaced texts are deleted.'),
  'retention.audit': period(
    SHORTEST_AUDIT,
    'Days after which entries of the audit log are deleted. Those about members, keys and settings stay.',
  ),
} as const satisfies Readonly<Record<string, TeamSetting>>;

export type TeamSettingKey = keyof typeof TEAM_SETTINGS;
export const TEAM_SETTING_KEYS = Object.keys(TEAM_SETTINGS) as readonly TeamSettingKey[];
export type TeamValues = Readonly<Partial<Record<TeamSettingKey, SettingValue>>>;

export function isTeamSettingKey(key: string): key is TeamSettingKey {
  return Object.hasOwn(TEAM_SETTINGS, key);
}

/** Parses `730d`, `30`, `on`, `issue,decision` by the type of the setting. */
export function parseTeamText(key: TeamSettingKey, text: string): ParsedValue {
  const days = key.startsWith('retention.') ? text.trim().replace(/d$/, '') : text;
  return bounded(parseText(asSetting(key), days));
}

export function parseTeamValue(key: TeamSettingKey, raw: unknown): ParsedValue {
  return bounded(parseValue(asSetting(key), raw));
}

function bounded(parsed: ParsedValue): ParsedValue {
  if (!parsed.ok || !Array.isArray(parsed.value)) return parsed;
  const list = parsed.value as readonly string[];
  if (list.length > MOST_ITEMS || list.some((item) => item.length > LONGEST_ITEM))
    return { ok: false, reason: `must have at most ${MOST_ITEMS} items of ${LONGEST_ITEM} characters` };
  return Buffer.byteLength(JSON.stringify(list)) > LIST_BYTES
    ? { ok: false, reason: `must have at most ${LIST_BYTES / 1024} KB` }
    : parsed;
}

/** Returns the known settings with valid values. A newer server may have others. */
export function readTeamValues(raw: unknown): TeamValues {
  const entries = Object.entries(Object(raw) as Record<string, unknown>).flatMap(([key, value]) => {
    if (!isTeamSettingKey(key)) return [];
    const parsed = parseTeamValue(key, value);
    return parsed.ok ? [[key, parsed.value] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** Returns the values of a machine that its team makes stricter; nothing for the others. */
export function stricterValues(config: Config, team: TeamValues): Partial<Config> {
  const found: { -readonly [K in keyof Config]?: Config[K] } = {};
  const delay = team['share.delayMinutes'];
  if (typeof delay === 'number' && delay > config['share.delayMinutes']) found['share.delayMinutes'] = delay;
  const ignored = listOf(team, 'capture.ignore').filter((one) => !config['capture.ignore'].includes(one));
  if (ignored.length > 0) found['capture.ignore'] = [...config['capture.ignore'], ...ignored];
  if (team['notes.review'] === true && !config['notes.review']) found['notes.review'] = true;
  if (team['models.localOnly'] === true) {
    if (config['embed.driver'] === 'openai') found['embed.driver'] = 'local';
  }
  return found;
}

export function listOf(team: TeamValues, key: TeamSettingKey): readonly string[] {
  const value = team[key];
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

function asSetting(key: TeamSettingKey) {
  return { ...TEAM_SETTINGS[key], scope: 'user' as const };
}
