/** Shows whether the daemon runs, what it does, and which agents have Tidemark. Starts no daemon. */
import { given } from '../../../core/index.ts';
import type { DaemonStatus } from '../../../daemon/index.ts';
import { installableAgents, installStatus } from '../../../install/index.ts';
import { age } from '../../../recall/index.ts';
import { lastEventOf } from '../../checks/liveness.ts';
import { sourceLine } from '../../checks/small-model.ts';
import { ownWorld } from '../../program.ts';
import { tilde } from '../../screen.ts';
import { wrapText } from '../../text-width.ts';
import { EXIT, type Context, type Verb } from '../../verb.ts';
import { LEFT_OUT, pauseLine } from './pause.ts';

/** A lookup takes milliseconds; users run this verb when something may be wrong, so it must not wait. */
const PLACE_MS = 1500;

export const status: Verb = {
  name: 'status',
  usage: 'status',
  summary: 'Show whether the daemon runs, its queue, pauses, and the last event of each agent.',
  async run(context) {
    const { options, client, cwd, screen, places } = context;
    if (!(await client.isUp())) {
      const installed = await installedAgents(context, undefined);
      if (options['json']) screen.json({ running: false, home: places.home, installed });
      else
        screen.print(
          wrapText(
            [
              'The daemon is not running. It starts with the next session, or with: tidemark start',
              ...installed.map(agentLine),
            ].join('\n'),
            screen.width,
          ),
        );
      return EXIT.unreachable;
    }
    const now = await client.call('status', {});
    const looking = installedAgents(context, now.agents);
    // While the index is being built, the folder is unknown; the rest is shown anyway.
    const limit = AbortSignal.timeout(PLACE_MS);
    const place = await client.call('read.place', { dir: cwd }, undefined, limit).catch(() => undefined);
    const distilling = await client.call('keep.health', {}, undefined, limit).catch(() => undefined);
    const paused = place?.paused ?? [];
    const installed = await looking;
    if (options['json'])
      return screen.json({
        running: true,
        home: places.home,
        ...now,
        installed,
        paused,
        ...given({ distilling }),
      });
    const hooks = Object.entries(now.lastEvent).map(([event, at]) => `${event} ${age(at, new Date())}`);
    screen.print(
      wrapText(
        [
          `Daemon ${now.version}, pid ${now.pid}, started ${age(now.startedAt, new Date())}, ${now.rssMb} MB`,
          `Events: ${now.spool.depth} waiting${now.spool.setAside > 0 ? `, ${now.spool.setAside} set aside` : ''}`,
          ...(installed.length > 0
            ? installed.map(agentLine)
            : ['Agents: Tidemark is not installed in any. Install it with: tidemark install']),
          `Hooks received: ${hooks.length > 0 ? hooks.join(', ') : 'none since the daemon started'}`,
          ...(distilling ? [`Distilling: ${sourceLine(distilling)}`] : []),
          `Data: ${tilde(places.home)}`,
          ...paused.map((one) => pauseLine(one, place?.name ?? '')),
          ...(place?.ignored ? [LEFT_OUT] : []),
          ...(place ? [] : ['Index: not ready, probably being rebuilt; searches wait for it']),
          ...(now.update ? [`Update: ${now.update.latest} is available. npx tidemark@latest install`] : []),
        ].join('\n'),
        screen.width,
      ),
    );
    return EXIT.ok;
  },
};

type Installed = Awaited<ReturnType<typeof installedAgents>>[number];

async function installedAgents(context: Context, heard: DaemonStatus['agents'] | undefined) {
  const world = ownWorld(context);
  const all = await Promise.all(
    installableAgents().map(async (agent) => ({
      agent: agent.id,
      title: agent.title,
      ...(await installStatus(agent, world)),
      ...given({ lastEvent: lastEventOf(agent.id, context.places, heard) }),
    })),
  );
  return all.filter(({ state }) => state !== 'absent');
}

/** `Codex: 6 hooks in ~/.codex/hooks.json, all trusted; last event Stop 3m ago` */
function agentLine({ title, evidence, findings, lastEvent }: Installed): string {
  const [fault] = findings;
  const next = fault?.next ? ` → ${fault.next}` : '';
  const last = lastEvent ? `last event ${lastEvent.event} ${age(lastEvent.at, new Date())}` : 'no event yet';
  return tilde(`${title}: ${fault?.text ?? evidence}; ${last}${next}`);
}
