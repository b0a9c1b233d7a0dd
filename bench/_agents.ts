/**
 * The hooks of all agents, with recorded inputs. Agents with command hooks run the script that their settings name; an agent
 * that loads our code asks from inside its process, so only the round trip is measured.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  CODING_AGENTS,
  hookCommand,
  putWrapper,
  type CodingAgent,
  type Moment,
} from '../src/agents/index.ts';
import { openPluginClient } from '../src/agents/plugin-client/index.ts';
import type { Places } from '../src/core/index.ts';
import type { Case } from './_measure.ts';

const fixtures = resolve(import.meta.dirname, '..', 'test', 'fixtures', 'agents');

/** Our name of the hook at each moment that is measured. */
const HOOKS = {
  start: 'SessionStart',
  prompt: 'UserPromptSubmit',
  read: 'PostToolUse',
  stop: 'Stop',
} as const;
const MEASURED = Object.keys(HOOKS) as readonly (keyof typeof HOOKS)[];

export interface Around {
  /** A data folder with a running daemon. */
  readonly places: Places;
  readonly plugin: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly after: () => Promise<void>;
}

export function commandCases({ places, plugin, env, cwd, after }: Around): readonly Case[] {
  putWrapper(places);
  writeFileSync(places.program, `${join(plugin, 'dist')}\n`);
  const withCommands = CODING_AGENTS.filter(({ installer, id }) => installer && id !== 'claude-code');
  return withCommands.flatMap((agent) =>
    MEASURED.filter((moment) => agent.capabilities[moment]?.by === 'command').map((moment) => ({
      name: `${agent.title}: ${agent.capabilities[moment]?.event}`,
      command: ['sh', '-c', hookCommand(places, HOOKS[moment], agent.id)],
      env: { ...env, TIDEMARK_HOME: places.home },
      cwd,
      input: inputOf(agent, moment, cwd),
      after,
    })),
  );
}

/** The recorded input of an event, as if it came from the folder `cwd`. A read is one of `src/auth.ts` there. */
function inputOf({ id, capabilities }: CodingAgent, moment: Moment, cwd: string): () => string {
  const folder = join(fixtures, id, 'hooks');
  const { event = '', matcher = '' } = capabilities[moment] ?? {};
  const names = readdirSync(folder).filter((name) => name.startsWith(`${event}.`));
  const name = names.find((one) => one.includes(matcher)) ?? names[0];
  if (name === undefined) throw new Error(`${id} has no recorded ${event}`);
  const recorded = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Record<string, unknown>;
  const file = join(cwd, 'src', 'auth.ts');
  const read =
    moment === 'read'
      ? { tool_name: matcher, tool_input: { file_path: file, absolute_path: file, path: file } }
      : {};
  return () => JSON.stringify({ ...recorded, cwd, ...read });
}

export interface RoundTrip {
  readonly name: string;
  readonly n: number;
  readonly wallMedian: number;
  readonly wallP95: number;
}

/** Round trips of agents that load our code. Their own events have the fields of our hooks. */
export async function pluginRoundTrips(
  { places, plugin, env, cwd }: Around,
  n: number,
): Promise<RoundTrip[]> {
  const agents = CODING_AGENTS.filter(({ capabilities }) => capabilities.prompt?.by === 'plugin');
  const trips: RoundTrip[] = [];
  for (const agent of agents) {
    const client = openPluginClient({
      agent: agent.id,
      home: places.home,
      program: join(plugin, 'dist'),
      env,
    });
    for (const moment of MEASURED) {
      const fields = {
        session_id: `bench-${agent.id}`,
        cwd,
        prompt: 'why do refresh tokens rotate',
        file: 'src/auth.ts',
      };
      const times: number[] = [];
      for (let round = -1; round < n; round++) {
        const began = performance.now();
        const hook = HOOKS[moment];
        await (hook === 'PostToolUse' ? client.ask(hook, fields) : client.deliver(hook, fields));
        if (round >= 0) times.push(performance.now() - began);
      }
      trips.push({
        name: `${agent.title}: ${agent.capabilities[moment]?.event ?? moment}`,
        n,
        ...spread(times),
      });
    }
  }
  return trips;
}

function spread(times: readonly number[]): Pick<RoundTrip, 'wallMedian' | 'wallP95'> {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { wallMedian: at(0.5), wallP95: at(0.95) };
}
