/** Installs into agents, records the program and its Node, puts the command on the PATH, and replaces an older daemon. */
import { join } from 'node:path';
import type { InstallWorld } from '../../../agents/index.ts';
import { VERSION } from '../../../core/index.ts';
import { acknowledgeVersion, openClient, recordProgram } from '../../../daemon/index.ts';
import {
  clientCopies,
  commandFor,
  installAgent,
  placeProgram,
  programFaults,
  putCommand,
  replaceOldHooks,
  type AgentInstalled,
  type AgentState,
} from '../../../install/index.ts';
import { ownOrigin } from '../../program.ts';
import { tilde } from '../../screen.ts';
import type { Context } from '../../verb.ts';
import { stopAndWait } from '../process/start.ts';
import type { Guide } from './_guide.ts';

export interface InPlace {
  /** The folder that sessions run it from, as far as we decide it. */
  readonly plugin: string;
  /** The folder of the built programs that sessions will use. */
  readonly dist: string;
  readonly agents: readonly AgentInstalled[];
  /** Faults of our own files that were repaired. */
  readonly repaired: readonly string[];
  /** The command that calls the CLI from any folder: `tidemark` if it is on the PATH, else the full path. */
  readonly command: string;
  /** The version of the daemon that was replaced. */
  readonly replaced?: string;
}

export async function putInPlace(
  { places, env, screen }: Context,
  guide: Guide,
  world: InstallWorld,
  chosen: readonly AgentState[],
): Promise<InPlace> {
  const faults = programFaults(places, world.plugin);
  const { plugin, done } = placeProgram(ownOrigin(places), places, clientCopies(env));
  const dist = join(plugin, 'dist');
  recordProgram(places, dist);
  guide.done(
    'Program',
    done.length > 0 ? done.map((line) => tilde(line)).join('; ') : `runs from ${tilde(plugin)}`,
  );
  const agents: AgentInstalled[] = [];
  for (const state of chosen) {
    guide.working(`${state.agent.title}: installing`);
    const installed = await installAgent(state, world);
    screen.done();
    showInstalled(guide, installed);
    agents.push(installed);
  }
  const unsafe = replaceOldHooks(places, env).map((path) => `unsafe hooks of an older version in ${path}`);
  const repaired = [...faults, ...unsafe];
  for (const text of repaired) guide.done('Repaired', tilde(text));
  acknowledgeVersion(places);
  const replaced = await replaceOlder(places, env, dist);
  if (replaced) guide.done('Daemon', `${replaced} replaced by ${VERSION}; open sessions continue with it`);
  const command = placeCommand(plugin, env, guide) ?? join(plugin, 'bin', 'tidemark');
  return { plugin, dist, agents, repaired, command, ...(replaced ? { replaced } : {}) };
}

function showInstalled(
  guide: Guide,
  { state, isNew, done, repaired, findings, failed }: AgentInstalled,
): void {
  const { title } = state.agent;
  if (failed) {
    guide.failed(title, tilde(failed.message));
    if (failed.hint) guide.line(`→ ${failed.hint}`);
    return;
  }
  guide.done(
    title,
    isNew ? 'installed' : done.length > 0 ? 'updated' : 'already installed, nothing to change',
  );
  for (const line of done) guide.line(tilde(line));
  for (const text of repaired) guide.done('Repaired', tilde(text));
  for (const { text, next } of findings) {
    guide.note(title, tilde(text));
    if (next) guide.line(`→ ${tilde(next)}`);
  }
}

/** Replaces a running daemon of another version. Returns its version. */
async function replaceOlder(
  places: Context['places'],
  env: Context['env'],
  dist: string,
): Promise<string | undefined> {
  const client = openClient(places, env, dist);
  if (!(await client.isUp())) return undefined;
  const { version } = await client.call('status', {});
  if (version === VERSION) return undefined;
  await stopAndWait(client, places);
  await client.start();
  return version;
}

function placeCommand(plugin: string, env: Context['env'], guide: Guide): string | undefined {
  const command = commandFor(plugin, env);
  switch (command.kind) {
    case 'there':
      return 'tidemark';
    case 'possible':
      putCommand(command.path, plugin);
      guide.done('Command line', tilde(command.path));
      return 'tidemark';
    case 'none':
      return undefined;
  }
}
