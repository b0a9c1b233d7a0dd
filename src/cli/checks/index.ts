/** Runs all checks of `doctor`, in sections. Starts the daemon if there is data, so that a failing start is a finding. */
import { existsSync } from 'node:fs';
import { clientSettings } from '../../agents/index.ts';
import { loadConfig } from '../../config/index.ts';
import { FIRST_AGENT, type Places } from '../../core/index.ts';
import { recordedDaemon, type Client, type DaemonStatus } from '../../daemon/index.ts';
import {
  agentStates,
  clientCopies,
  installableAgents,
  placeProgram,
  type AgentState,
} from '../../install/index.ts';
import { ownOrigin, ownWorld } from '../program.ts';
import type { Context } from '../verb.ts';
import { agentSections, otherAgents, seenAgents } from './agents.ts';
import type { Check, Live, Section } from './check.ts';
export type { Check, Section, Verdict } from './check.ts';
import { daemonDown, daemonUp, leftovers, socket } from './daemon.ts';
import { hookForm } from './hook-form.ts';
import { capture, failedHooks, hooksReceived, recalled } from './hooks.ts';
import { clock, dataFolder, disk, node, settings, updates } from './machine.ts';
import {
  backups,
  brokenIndex,
  failedEvents,
  index,
  journal,
  redactions,
  spool,
  turnStore,
  sampleProject,
} from './memory.ts';
import { builtInModel, embedder } from './models.ts';
import { leftByPeers, ownMemory, peers } from './neighbours.ts';
import { deniedNotes } from './notes.ts';
import { permissions } from './permissions.ts';
import { smallModel } from './small-model.ts';
import { team } from './team.ts';

export async function runChecks(context: Context): Promise<readonly Section[]> {
  const { places, env, client: daemon } = context;
  const world = ownWorld(context);
  const looking = agentStates(installableAgents(), world);
  const form = hookForm(places, env); // before the daemon starts, which would replace them silently
  const gone = await leftovers(context);
  const wasUp = await daemon.isUp();
  const looked = await lookAt(places, daemon, wasUp);
  const live = looked.kind === 'live' ? looked.live : undefined;
  const status = looked.kind === 'down' ? undefined : looked.status;
  const agents = seenAgents(await looking, world, status?.agents);
  const stores = (): readonly Check[] => {
    switch (looked.kind) {
      case 'live':
        return [
          ...journal(looked.live.health, daemon),
          index(looked.live.health, daemon),
          turnStore(looked.live.health),
          ...sampleProject(looked.live.health, daemon),
        ];
      case 'broken':
        return [brokenIndex(looked.why, daemon)];
      case 'down':
        return [];
    }
  };
  return [
    ...(await agentSections(agents, {
      world,
      place: () => placeProgram(ownOrigin(places), places, clientCopies(env)),
      more: (state) => ofAgent(context, state, live),
    })),
    {
      title: 'Capture',
      checks: [
        ...form,
        ...hooksReceived(places, status?.lastEvent ?? {}),
        ...(live ? await capture(context) : []),
        ...failedHooks(places),
        ...(live ? await recalled(daemon) : []),
        ...(await leftByPeers(context, live !== undefined)),
        ...otherAgents(agents),
      ],
    },
    {
      title: 'Daemon',
      checks: [
        ...(looked.kind === 'down'
          ? [daemonDown(context, looked.why)]
          : [daemonUp(looked.status, looked.started), socket(looked.status)]),
        ...gone,
        spool(places, live, daemon),
        failedEvents(places),
      ],
    },
    { title: 'Memory', checks: [...stores(), ...(live ? await safety(context, live) : [])] },
    { title: 'Team', checks: live ? await team(daemon) : [] },
    {
      title: 'Models',
      checks: [
        await builtInModel(context),
        ...(live ? [embedder(live.meaning), smallModel(live.keeping)] : []),
      ],
    },
    {
      title: 'Machine',
      checks: [
        dataFolder(places),
        permissions(places),
        node(places),
        disk(places),
        clock(places, live),
        ...settings(context),
        updates(context),
      ],
    },
  ].filter(({ checks }) => checks.length > 0);
}

/** Checks that not every agent has. */
async function ofAgent(
  context: Context,
  state: AgentState,
  live: Live | undefined,
): Promise<readonly Check[]> {
  const theirs = state.agent.id === FIRST_AGENT ? clientSettings(context.env, context.cwd) : undefined;
  return [
    ...(live ? await deniedNotes(state, context) : []),
    ...(theirs ? [...ownMemory(theirs, context.cwd), ...peers(theirs)] : []),
  ];
}

async function safety({ places, env, client: daemon }: Context, { health }: Live): Promise<readonly Check[]> {
  const { values } = loadConfig({ places, env });
  return [redactions(health), await backups(daemon, values['backup.days'], health)];
}

type Looked =
  | { readonly kind: 'live'; readonly live: Live; readonly status: DaemonStatus; readonly started: boolean }
  | {
      readonly kind: 'broken';
      readonly why: string;
      readonly status: DaemonStatus;
      readonly started: boolean;
    }
  | { readonly kind: 'down'; readonly why: string };

async function lookAt(places: Places, daemon: Client, wasUp: boolean): Promise<Looked> {
  if (!wasUp && !existsSync(places.home)) return { kind: 'down', why: 'nothing is stored yet' };
  if (!wasUp && recordedDaemon(places)?.running) return { kind: 'down', why: 'it hangs' };
  try {
    const { started } = await daemon.start();
    const status = await daemon.call('status', {});
    try {
      const health = await daemon.call('read.health', {});
      const meaning = await daemon.call('embed.health', {});
      const keeping = await daemon.call('keep.health', {});
      return { kind: 'live', live: { status, health, meaning, keeping }, status, started };
    } catch (error) {
      return { kind: 'broken', why: messageOf(error), status, started };
    }
  } catch (error) {
    return { kind: 'down', why: messageOf(error) };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
