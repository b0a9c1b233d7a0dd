/** Installs Tidemark into coding agents and removes it. Knows no client: each agent's installer does the work. */
import {
  CODING_AGENTS,
  type CodingAgent,
  type Finding,
  type FoundClient,
  type Installer,
  type InstallStatus,
  type InstallWorld,
} from '../agents/index.ts';
import { given, TidemarkError, type Places } from '../core/index.ts';
import { forgetInstall, installTimes, recordInstall } from './record.ts';

export type InstallableAgent = CodingAgent & { readonly installer: Installer };

/** The agents that Tidemark can be installed into; the others are only read. */
export function installableAgents(
  agents: readonly CodingAgent[] = CODING_AGENTS,
): readonly InstallableAgent[] {
  return agents.filter((agent): agent is InstallableAgent => agent.installer !== undefined);
}

/** Folders of our plugin that clients copied. */
export function clientCopies(
  env: NodeJS.ProcessEnv,
  agents: readonly CodingAgent[] = CODING_AGENTS,
): readonly string[] {
  return installableAgents(agents).flatMap(({ installer }) => installer.copies?.(env) ?? []);
}

/** An agent on this machine, before anything is changed. */
export interface AgentState {
  readonly agent: InstallableAgent;
  /** Undefined if the client is not on this machine. */
  readonly client?: FoundClient;
  readonly status: InstallStatus;
  /** When we installed it. */
  readonly installedAt?: string;
}

/** Looks at all agents at once. An installer that fails is a finding, never an error. */
export function agentStates(
  agents: readonly InstallableAgent[],
  world: InstallWorld,
): Promise<readonly AgentState[]> {
  const times = installTimes(world.places);
  return Promise.all(
    agents.map(async (agent) => {
      const [client, status] = await Promise.all([clientOf(agent, world), installStatus(agent, world)]);
      return { agent, status, ...given({ client, installedAt: times[agent.id] }) };
    }),
  );
}

/** Whether Tidemark is in this agent, working or not. */
export function isInstalled({ status }: Pick<AgentState, 'status'>): boolean {
  return status.state !== 'absent';
}

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

export interface AgentInstalled {
  readonly state: AgentState;
  /** Whether Tidemark was not in this agent before. */
  readonly isNew: boolean;
  /** Changes that were made, one line each. */
  readonly done: readonly string[];
  /** The faults that were repaired. */
  readonly repaired: readonly string[];
  /** Faults that are left to the user. */
  readonly findings: readonly Finding[];
  readonly failed?: Failure;
}

/** Installs or updates one agent. A failure is part of the result, because the other agents come next. */
export async function installAgent(state: AgentState, world: InstallWorld): Promise<AgentInstalled> {
  const { agent, status, client, installedAt } = state;
  const isNew = !isInstalled(state);
  const nothing = { state, isNew, done: [], repaired: [], findings: [] };
  if (client?.problem) {
    const { text: message, next: hint } = client.problem;
    return { ...nothing, failed: { code: 'client-problem', message, ...given({ hint }) } };
  }
  try {
    const done = await agent.installer.install(world);
    if (done.length > 0 || installedAt === undefined) recordInstall(world.places, agent.id);
    const { findings } = await installStatus(agent, world);
    const isLeft = ({ text }: Finding): boolean => findings.some((one) => one.text === text);
    const repaired = isNew ? [] : status.findings.filter((one) => !isLeft(one)).map(({ text }) => text);
    return { state, isNew, done, repaired, findings };
  } catch (error) {
    return { ...nothing, failed: failureOf(error) };
  }
}

export interface AgentRemoved {
  readonly agent: InstallableAgent;
  readonly done: readonly string[];
  readonly failed?: Failure;
}

/** Removes Tidemark from one agent. Does nothing where it is not installed. */
export async function removeAgent(
  agent: InstallableAgent,
  world: { readonly env: NodeJS.ProcessEnv; readonly places: Places },
): Promise<AgentRemoved> {
  try {
    const done = await agent.installer.remove(world);
    forgetInstall(world.places, agent.id);
    return { agent, done };
  } catch (error) {
    return { agent, done: [], failed: failureOf(error) };
  }
}

async function clientOf(agent: InstallableAgent, { env }: InstallWorld): Promise<FoundClient | undefined> {
  try {
    return await agent.installer.find(env);
  } catch (error) {
    const { message, hint } = failureOf(error);
    return { folder: agent.reader.folder(env), problem: { text: message, ...given({ next: hint }) } };
  }
}

/** Never throws: an installer that fails is a finding. */
export async function installStatus(
  { installer }: InstallableAgent,
  world: InstallWorld,
): Promise<InstallStatus> {
  try {
    return await installer.status(world);
  } catch (error) {
    const { message, hint } = failureOf(error);
    return { state: 'faulty', evidence: message, findings: [{ text: message, ...given({ next: hint }) }] };
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof TidemarkError)
    return { code: error.code, message: error.message, ...given({ hint: error.hint }) };
  return { code: 'unexpected', message: error instanceof Error ? error.message : String(error) };
}
