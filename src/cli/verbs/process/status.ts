/** Shows whether the daemon runs and what it does. Starts nothing. */
import { given } from '../../../core/index.ts';
import { age } from '../../../recall/index.ts';
import { sourceLine } from '../../checks/small-model.ts';
import { tilde } from '../../screen.ts';
import { wrapText } from '../../text-width.ts';
import { EXIT, type Verb } from '../../verb.ts';
import { LEFT_OUT, pauseLine } from './pause.ts';

/** A lookup takes milliseconds; users run this verb when something may be wrong, so it must not wait. */
const PLACE_MS = 1500;

export const status: Verb = {
  name: 'status',
  usage: 'status',
  summary: 'Show whether the daemon runs, its queue, pauses, and when each hook last arrived.',
  async run({ options, client, cwd, screen, places }) {
    if (!(await client.isUp())) {
      if (options['json']) screen.json({ running: false, home: places.home });
      else
        screen.print('The daemon is not running. It starts with the next session, or with: tidemark start');
      return EXIT.unreachable;
    }
    const now = await client.call('status', {});
    // While the index is being built, the folder is unknown; the rest is shown anyway.
    const limit = AbortSignal.timeout(PLACE_MS);
    const place = await client.call('read.place', { dir: cwd }, undefined, limit).catch(() => undefined);
    const distilling = await client.call('keep.health', {}, undefined, limit).catch(() => undefined);
    const paused = place?.paused ?? [];
    if (options['json'])
      return screen.json({ running: true, home: places.home, ...now, paused, ...given({ distilling }) });
    const hooks = Object.entries(now.lastEvent).map(([event, at]) => `${event} ${age(at, new Date())}`);
    screen.print(
      wrapText(
        [
          `Daemon ${now.version}, pid ${now.pid}, up since ${age(now.startedAt, new Date())}, ${now.rssMb} MB`,
          `Spool: ${now.spool.depth} waiting${now.spool.poison > 0 ? `, ${now.spool.poison} set aside` : ''}`,
          `Hooks received: ${hooks.length > 0 ? hooks.join(', ') : 'none since it started'}`,
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
