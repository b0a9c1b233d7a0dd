/** Installs the plugin, records the program and its Node, puts the command on the PATH, and replaces an older daemon. */
import { join } from 'node:path';
import type { ClaudeCode } from '../../../agents/index.ts';
import { VERSION } from '../../../core/index.ts';
import { acknowledgeVersion, openClient, recordProgram } from '../../../daemon/index.ts';
import { commandFor, installPlugin, putCommand, type PluginInstalled } from '../../../install/index.ts';
import { ownCommand, ownOrigin } from '../../program.ts';
import { tilde } from '../../screen.ts';
import type { Context } from '../../verb.ts';
import { stopAndWait } from '../process/start.ts';
import type { Guide } from './_guide.ts';

export interface InPlace extends PluginInstalled {
  /** The folder of the built programs that sessions will use. */
  readonly dist: string;
  /** The command that calls the CLI from now on. */
  readonly command: string;
  /** The version of the daemon that was replaced. */
  readonly replaced?: string;
}

export async function putInPlace(
  { places, env, cwd, screen }: Context,
  guide: Guide,
  claude: ClaudeCode,
): Promise<InPlace> {
  const origin = ownOrigin(places);
  const installed = await installPlugin(claude, {
    places,
    env,
    origin,
    onStep: (step) => guide.working(step),
  });
  screen.done();
  const dist = join(installed.plugin, 'dist');
  recordProgram(places, dist);
  acknowledgeVersion(places);
  guide.done('Plugin', `${installed.isNew ? 'installed' : 'in place'}, runs from ${tilde(installed.plugin)}`);
  for (const { text } of installed.mended) guide.done('Repaired', text);
  const replaced = await replaceOlder(places, env, dist);
  if (replaced) guide.done('Daemon', `${replaced} replaced by ${VERSION}; open sessions continue with it`);
  const command = placeCommand(installed.plugin, env, guide) ?? ownCommand(cwd);
  return { ...installed, dist, command, ...(replaced ? { replaced } : {}) };
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
