/** Repairs an installation: missing files, hooks that are gone or off, broken paths. Asks nothing, spends nothing, keeps all data. */
import { TidemarkError, VERSION } from '../../../core/index.ts';
import { openClient } from '../../../daemon/index.ts';
import { agentStates, installableAgents, isInstalled, type AgentState } from '../../../install/index.ts';
import { ownWorld } from '../../program.ts';
import { tilde } from '../../screen.ts';
import { EXIT, type Verb } from '../../verb.ts';
import { installedJson } from './_agents-json.ts';
import { titlesOf } from './_choose-agents.ts';
import { openGuide } from './_guide.ts';
import { putInPlace } from './_put-in-place.ts';

export const repair: Verb = {
  name: 'repair',
  usage: 'repair',
  summary: 'Repair the installation in every agent: hooks, program files, recorded Node, daemon.',
  async run(context) {
    const { options, screen, env, places } = context;
    const guide = openGuide(context, options['json'] === true);
    guide.heading(`Tidemark ${VERSION}`, 'repair');
    const world = ownWorld(context);
    const placed = await putInPlace(
      context,
      guide,
      world,
      toRepair(await agentStates(installableAgents(), world)),
    );
    const client = openClient(places, env, placed.dist);
    await client.start();
    const { pid, version } = await client.call('status', {});
    guide.done('Daemon', `${version} answers, pid ${pid}`);
    const { agents, ...rest } = placed;
    const code = agents.some(({ failed }) => failed) ? EXIT.failed : EXIT.ok;
    if (options['json']) {
      screen.json({ version: VERSION, ...rest, agents: agents.map(installedJson) });
      return code;
    }
    const again = agents.filter(({ isNew, failed }) => isNew && !failed).map(({ state }) => state);
    const repaired = [...placed.repaired, ...agents.flatMap((one) => one.repaired)];
    if (again.length > 0) screen.print(`Installed again into ${titlesOf(again)}, where it was missing.`);
    if (repaired.length > 0) screen.print(`Repaired: ${repaired.map((text) => tilde(text)).join('; ')}.`);
    if (again.length === 0 && repaired.length === 0 && code === EXIT.ok) screen.print('Nothing was broken.');
    return code;
  },
};

/** The agents that have Tidemark or had it; without any, those that are found. */
function toRepair(states: readonly AgentState[]): readonly AgentState[] {
  const known = states.filter((state) => isInstalled(state) || state.installedAt !== undefined);
  const chosen = known.length > 0 ? known : states.filter(({ client }) => client !== undefined);
  if (chosen.length > 0) return chosen;
  throw new TidemarkError('no-client', 'Tidemark is not installed, and no coding agent was found', {
    hint: `Tidemark looked for ${titlesOf(states)}.`,
  });
}
