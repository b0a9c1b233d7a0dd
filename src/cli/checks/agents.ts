/** Checks every coding agent that is on this machine or has Tidemark: client, installation, and whether its hooks arrive. */
import type { InstallWorld } from '../../agents/index.ts';
import { given } from '../../core/index.ts';
import type { DaemonStatus } from '../../daemon/index.ts';
import { installAgent, isInstalled, type AgentState } from '../../install/index.ts';
import { age } from '../../recall/index.ts';
import { checkOf, type Check, type Section } from './check.ts';
import { lastEventOf, newestSession, sessionWithoutHooks, type LastEvent } from './liveness.ts';

/** An agent whose hooks arrived in this time is here, however it was started. */
const LATELY_MS = 7 * 24 * 60 * 60 * 1000;

/** An agent and the last event that its hooks sent. */
export interface SeenAgent extends AgentState {
  readonly last?: LastEvent;
}

export interface SeenAgents {
  /** On this machine, with Tidemark in it, or with events. */
  readonly here: readonly SeenAgent[];
  readonly others: readonly AgentState[];
}

/** `heard`: as the daemon reports it. */
export function seenAgents(
  states: readonly AgentState[],
  { places }: InstallWorld,
  heard: DaemonStatus['agents'] | undefined,
): SeenAgents {
  const seen = states.map((state) => ({
    ...state,
    ...given({ last: lastEventOf(state.agent.id, places, heard) }),
  }));
  const isHere = (state: SeenAgent): boolean =>
    state.client !== undefined || isInstalled(state) || isRecent(state.last);
  return { here: seen.filter(isHere), others: seen.filter((state) => !isHere(state)) };
}

function isRecent(last: LastEvent | undefined): boolean {
  return last !== undefined && Date.now() - Date.parse(last.at) < LATELY_MS;
}

export interface Surroundings {
  readonly world: InstallWorld;
  /** Puts the program where sessions run it, before an agent is repaired. */
  readonly place: () => void;
  /** Returns checks that not every agent has. */
  readonly more: (state: AgentState) => Promise<readonly Check[]>;
}

export async function agentSections(
  { here, others }: SeenAgents,
  around: Surroundings,
): Promise<readonly Section[]> {
  if (here.length === 0)
    return [
      {
        title: 'Coding agents',
        checks: [
          checkOf('client').note(
            `none found; looked for ${titles(others)}`,
            'Install one of them, then run: tidemark install',
          ),
        ],
      },
    ];
  return Promise.all(
    here.map(async (state) => ({
      title: state.agent.title,
      checks: [
        client(state, around.world),
        ...installation(state, around),
        ...(isInstalled(state) || state.last ? [await lastEvent(state, around.world)] : []),
        ...(await around.more(state)),
      ],
    })),
  );
}

/** One line for the agents that are neither here nor installed. */
export function otherAgents({ here, others }: SeenAgents): readonly Check[] {
  if (others.length === 0 || here.length === 0) return [];
  return [checkOf('other agents').well(`not on this machine: ${titles(others)}`)];
}

function client({ agent, client: found }: AgentState, { env }: InstallWorld): Check {
  const check = checkOf('client');
  const seen = newestSession(agent.reader, env);
  const version = agent.installer.lastVersion?.(env);
  const when = seen ? age(seen.modifiedAt.toISOString(), new Date()) : '';
  const use = version
    ? `last seen ${version}, ${when}`
    : seen
      ? `last session ${when}`
      : 'no session seen yet';
  const what = found?.version ? `${found.version} installed` : found?.path ? 'installed' : 'not on the PATH';
  const evidence = `${what}, ${use}`;
  if (found?.problem)
    return check.wrong(
      found.version ? `${evidence}; ${found.problem.text}` : found.problem.text,
      found.problem.next ?? '',
    );
  return found?.path ? check.well(evidence) : check.note(evidence);
}

function installation(state: AgentState, around: Surroundings): readonly Check[] {
  const { agent, status, installedAt } = state;
  const check = checkOf('installation');
  const { findings, evidence } = status;
  if (!isInstalled(state)) {
    const since = installedAt ? `; it was installed ${age(installedAt, new Date())}` : '';
    return [check.note(`${evidence}${since}`, `tidemark install --agent ${agent.id}`)];
  }
  if (findings.length === 0) return [check.well(evidence)];
  const repair = once(() => repaired(state, around));
  return findings.map(({ text, next, isRepairable }) => {
    const fix = async (): Promise<string> => {
      const left = await repair();
      if (left.includes(text)) throw new Error(`${text}${next ? ` → ${next}` : ''}`);
      return `${agent.title}: repaired: ${text}`;
    };
    return status.state === 'faulty'
      ? check.wrong(text, next ?? 'tidemark repair', isRepairable ? fix : undefined)
      : check.note(text, next, isRepairable ? fix : undefined);
  });
}

/** Installs again; returns the findings that are left. */
async function repaired(state: AgentState, { world, place }: Surroundings): Promise<readonly string[]> {
  place();
  const { failed, findings } = await installAgent(state, world);
  if (failed) throw new Error([failed.message, failed.hint].filter(Boolean).join('. '));
  return findings.map(({ text }) => text);
}

/** A session that began after the last event of its agent proves that hooks do not arrive. */
async function lastEvent(
  { agent, installedAt, last, status }: SeenAgent,
  { places, env }: InstallWorld,
): Promise<Check> {
  const check = checkOf('last event');
  const now = new Date();
  const known = last ? `${last.event}, ${age(last.at, now)}` : 'none yet';
  const missed = isInstalled({ status })
    ? await sessionWithoutHooks(agent.reader, places, env, [last?.at, installedAt])
    : undefined;
  if (missed)
    return check.wrong(
      `${known}; a session began ${age(missed, now)}, but none of its hooks arrived`,
      [agent.installer.ifSilent, 'See also: tidemark logs --hooks'].filter(Boolean).join(' '),
    );
  if (!last) return check.note(known, `Start a session in ${agent.title}.`);
  return check.well(known);
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

function titles(states: readonly AgentState[]): string {
  return states.map(({ agent }) => agent.title).join(', ');
}
