/** Checks capture: when each hook last arrived, whether capture is off on purpose, and which hooks failed. */
import { failedHooksIn } from '../../capture/index.ts';
import { loadConfig } from '../../config/index.ts';
import { HOOK_NAMES, type HookName, type Places } from '../../core/index.ts';
import type { Client, DaemonStatus } from '../../daemon/index.ts';
import { type Moment, age } from '../../recall/index.ts';
import { counted } from '../screen.ts';
import type { Context } from '../verb.ts';
import { checkOf, type Check } from './check.ts';
import { receivedTimes } from './liveness.ts';

/** Events that are sent only in these cases; every session sends the others. */
const SENT_ONLY: Readonly<Partial<Record<HookName, string>>> = {
  SubagentStop: 'when a subagent ends',
  PreCompact: 'when a conversation is compacted',
};
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
const MAX_PROMPTS = 20;

/** When each hook last arrived, from any agent. An event that no client had a reason to send proves nothing. */
export function hooksReceived(
  places: Places,
  /** Times the daemon reports; its file of them lags a little. */
  latest: DaemonStatus['lastEvent'],
): readonly Check[] {
  const times = { ...receivedTimes(places), ...latest };
  const now = new Date();
  const received = HOOK_NAMES.flatMap((event) =>
    times[event] ? [`${event} ${age(times[event], now)}`] : [],
  );
  if (received.length === 0) return []; // each agent's own check says so
  const never = HOOK_NAMES.filter((event) => !times[event]).map((event) =>
    SENT_ONLY[event] ? `${event} (sent only ${SENT_ONLY[event]})` : event,
  );
  const missing = never.length > 0 ? [`never sent: ${never.join(', ')}`] : [];
  return [checkOf('hooks received').well([received.join(', '), ...missing].join('; '))];
}

/** Reports only when capture is off on purpose: paused, ignored folder, or turned off. */
export async function capture({
  client: daemon,
  cwd,
  places,
  env,
  flags,
}: Context): Promise<readonly Check[]> {
  const check = checkOf('capture');
  const place = await daemon.call('read.place', { dir: cwd }).catch(() => undefined);
  const { values } = loadConfig({ places, env, projectDir: cwd, flags });
  const pauses = place?.paused.filter(({ scope }) => scope !== 'session') ?? [];
  return [
    ...pauses.map(({ scope }) =>
      scope === 'everywhere'
        ? check.note('paused everywhere', 'tidemark resume --everywhere')
        : check.note(`paused in ${place?.name}`, 'tidemark resume'),
    ),
    ...(place?.ignored ? [check.note('this folder is ignored (.tidemark-ignore or capture.ignore)')] : []),
    ...(values['capture.enabled']
      ? []
      : [check.note('turned off by a setting', 'tidemark config set capture.enabled true')]),
  ];
}

/** Reports events that hooks failed to deliver. Delivery over the socket leaves no log row. */
export function failedHooks(places: Places): readonly Check[] {
  const check = checkOf('failed hooks');
  const since = new Date(Date.now() - WEEK_MS).toISOString();
  const recent = failedHooksIn(places.hookLog).filter(({ at }) => at >= since);
  if (recent.length === 0) return [];
  const reasons = Object.entries(Object.groupBy(recent, ({ outcome, reason }) => `${outcome}: ${reason}`));
  const summary = reasons.map(([reason, of]) => `${reason} ${of?.length ?? 0}×`).join(', ');
  const lost = recent.filter(({ outcome }) => outcome === 'lost').length;
  const evidence = `${counted(recent.length, 'hook')} of the last week failed (${summary})`;
  const next = 'The conversation is still read from the transcript. See: tidemark logs --hooks';
  return [lost > 0 ? check.wrong(evidence, next) : check.note(evidence, next)];
}

/** Reports how often the last session's prompts got memories, and why the others got none. */
export async function recalled(daemon: Client): Promise<readonly Check[]> {
  const check = checkOf('recall');
  const moments = await daemon.call('read.why', { limit: MAX_PROMPTS }).catch(() => [] as readonly Moment[]);
  const last = moments.at(-1);
  if (!last) return [];
  const withMemories = moments.filter(({ memories }) => memories.length > 0).length;
  const reasons = new Set(
    moments.flatMap(({ memories, reason }) => (memories.length === 0 && reason ? [reason] : [])),
  );
  const others = reasons.size > 0 ? `; the others did not, because ${[...reasons].join(', or ')}` : '';
  const when = age(last.at, new Date());
  return [
    check.well(
      `${withMemories} of ${counted(moments.length, 'request')} of the last session (${when}) got memories${others}`,
    ),
  ];
}
