/**
 * Whether capture lives. "Ran and found nothing" is not "dead": a session that began after the last hook was heard is
 * proof of death; an event the client had no reason to send proves nothing.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../config/index.ts';
import { HOOK_NAMES, type HookName, type Places } from '../../core/index.ts';
import type { Client, DaemonStatus, FolderView } from '../../daemon/index.ts';
import { describeTranscript, listTranscripts } from '../../exchange/import/index.ts';
import { type Moment, age } from '../../recall/index.ts';
import { counted } from '../screen.ts';
import type { Context } from '../verb.ts';
import type { ClientSettings } from './_client-settings.ts';
import { jsonOf, textOf } from './_files.ts';
import { note, well, wrong, type Check } from './check.ts';

/** Sent only when this happens; every other event comes with every session. */
const SENT_ONLY: Readonly<Partial<Record<HookName, string>>> = {
  SubagentStop: 'when a subagent ends',
  PreCompact: 'when a conversation is compacted',
};
/** A session's file is begun a moment before its first hook is heard. */
const MOMENT_MS = 2 * 60_000;
const LOOKED_AT = 5;
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
const LOOKED_AT_PROMPTS = 20;

export async function heard(
  places: Places,
  { configDir, plugins, hooksOff }: ClientSettings,
  /** By the daemon, whose file of them is a moment late. */
  latest: DaemonStatus['lastEvent'],
): Promise<Check> {
  const name = 'hooks heard';
  const times = { ...heardTimes(places), ...latest };
  const now = new Date();
  const told = HOOK_NAMES.flatMap((event) => (times[event] ? [`${event} ${age(times[event], now)}`] : []));
  const silent = HOOK_NAMES.filter((event) => !times[event]);
  const never = silent.map((event) =>
    SENT_ONLY[event] ? `${event} (sent only ${SENT_ONLY[event]})` : event,
  );
  const evidence = [told.join(', '), never.length > 0 ? `never sent: ${never.join(', ')}` : '']
    .filter(Boolean)
    .join('; ');
  const isOn = hooksOff === undefined && [...plugins].some(([id, on]) => on && id.startsWith('tidemark@'));
  const missed = isOn ? await unheardSession(configDir, lastOf(times) ?? installedAt(places)) : undefined;
  if (missed)
    return wrong(
      name,
      `a session began ${age(missed, now)} and no hook of it was heard; ${told.join(', ') || 'none was ever heard'}`,
      'See /hooks inside Claude Code and: tidemark logs --hooks. Sessions run with --bare or --safe-mode have no hooks.',
    );
  if (told.length === 0)
    return note(
      name,
      'none yet: the client has not sent one',
      'Start a Claude Code session with the plugin installed.',
    );
  return well(name, evidence);
}

/** Told only where nothing is kept on purpose: paused, left out or switched off. */
export async function capture({
  client: daemon,
  cwd,
  places,
  env,
  flags,
}: Context): Promise<readonly Check[]> {
  const place = await daemon.call<FolderView>('read.place', { dir: cwd }).catch(() => undefined);
  const { values } = loadConfig({ places, env, projectDir: cwd, flags });
  const pauses = place?.paused.filter(({ scope }) => scope !== 'session') ?? [];
  return [
    ...pauses.map(({ scope }) =>
      scope === 'everywhere'
        ? note('capture', 'paused everywhere', 'tidemark resume --everywhere')
        : note('capture', `paused in ${place?.name}`, 'tidemark resume'),
    ),
    ...(place?.ignored
      ? [note('capture', 'this folder is left out (.tidemark-ignore or capture.ignore)')]
      : []),
    ...(values['capture.enabled']
      ? []
      : [note('capture', 'switched off by a setting', 'tidemark config set capture.enabled true')]),
  ];
}

/** What hooks could not hand over; what went the fast way leaves no row. */
export function hookTroubles(places: Places): readonly Check[] {
  const since = new Date(Date.now() - WEEK_MS).toISOString();
  const rows = (textOf(places.hookLog) ?? '').split('\n').flatMap(parseRow);
  const recent = rows.filter(
    ({ at, outcome }) => at >= since && (outcome === 'lost' || outcome === 'failed'),
  );
  if (recent.length === 0) return [];
  const reasons = Object.entries(Object.groupBy(recent, ({ outcome, reason }) => `${outcome}: ${reason}`));
  const said = reasons.map(([reason, of]) => `${reason} ${of?.length ?? 0}×`).join(', ');
  const lost = recent.filter(({ outcome }) => outcome === 'lost').length;
  const evidence = `${counted(recent.length, 'hook')} of the last week did not end well (${said})`;
  const next = 'What was said is read from the transcript all the same. See: tidemark logs --hooks';
  return [lost > 0 ? wrong('hook troubles', evidence, next) : note('hook troubles', evidence, next)];
}

/** What the last session's prompts brought back, and why the others brought nothing. */
export async function recalled(daemon: Client): Promise<readonly Check[]> {
  const moments = await daemon
    .call<readonly Moment[]>('read.why', { limit: LOOKED_AT_PROMPTS })
    .catch(() => [] as readonly Moment[]);
  const last = moments.at(-1);
  if (!last) return [];
  const full = moments.filter(({ memories }) => memories.length > 0).length;
  const reasons = new Set(
    moments.flatMap(({ memories, reason }) => (memories.length === 0 && reason ? [reason] : [])),
  );
  const others = reasons.size > 0 ? `; for the others: ${[...reasons].join(', ')}` : '';
  const when = age(last.at, new Date());
  return [
    well(
      'recall',
      `asked ${moments.length}× by the last session (${when}), ${full}× with something to say${others}`,
    ),
  ];
}

export function heardTimes(places: Places): Readonly<Partial<Record<HookName, string>>> {
  const times = jsonOf(join(places.run, 'heard.json'));
  return Object.fromEntries(Object.entries(times).filter(([, at]) => typeof at === 'string'));
}

function lastOf(times: Readonly<Partial<Record<HookName, string>>>): number | undefined {
  const all = Object.values(times).map((at) => Date.parse(at));
  return all.length > 0 ? Math.max(...all) : undefined;
}

/** The program is recorded when it is installed: sessions begun before that could not be heard. */
function installedAt(places: Places): number {
  return statSync(places.program, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
}

async function unheardSession(configDir: string, since: number): Promise<string | undefined> {
  const later = listTranscripts(configDir).filter(
    ({ modifiedAt }) => modifiedAt.getTime() > since + MOMENT_MS,
  );
  for (const file of later.slice(0, LOOKED_AT)) {
    const found = await describeTranscript(file);
    if (typeof found === 'string') continue;
    const { startedAt } = found;
    if (Date.parse(startedAt) > since + MOMENT_MS) return startedAt;
  }
  return undefined;
}

function parseRow(line: string): readonly { at: string; outcome: string; reason: string }[] {
  try {
    return [JSON.parse(line) as { at: string; outcome: string; reason: string }];
  } catch {
    return [];
  }
}
