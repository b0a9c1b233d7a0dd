/** Is it alive, and what is it doing? Starts nothing. */
import type { DaemonStatus, FolderView } from '../../../daemon/index.ts';
import { age } from '../../../recall/index.ts';
import { tilde } from '../../screen.ts';
import { wrapText } from '../../text-width.ts';
import { EXIT, JSON_OPTION, type Verb } from '../../verb.ts';
import { LEFT_OUT, pauseLine } from './pauses.ts';

/** A lookup takes milliseconds; this verb is asked when something may be wrong, and must not wait for it. */
const PLACE_MS = 1500;

export const status: Verb = {
  name: 'status',
  usage: 'status',
  summary: 'Show whether the daemon runs, what waits, what is paused, and when each hook was last heard.',
  options: { ...JSON_OPTION },
  async run({ options, client, cwd, screen, places }) {
    if (!(await client.isUp())) {
      if (options['json']) screen.json({ running: false, home: places.home });
      else
        screen.print('The daemon is not running. It starts with the next session, or with: tidemark start');
      return EXIT.unreachable;
    }
    const now = await client.call<DaemonStatus>('status');
    // While the index is built there is no place to tell of; the rest is worth knowing all the same, and at once.
    const limit = AbortSignal.timeout(PLACE_MS);
    const place = await client
      .call<FolderView>('read.place', { dir: cwd }, undefined, limit)
      .catch(() => undefined);
    const paused = place?.paused ?? [];
    if (options['json']) return screen.json({ running: true, home: places.home, ...now, paused });
    const heard = Object.entries(now.lastEvent).map(([event, at]) => `${event} ${age(at, new Date())}`);
    screen.print(
      wrapText(
        [
          `Daemon ${now.version}, pid ${now.pid}, up since ${age(now.startedAt, new Date())}, ${now.rssMb} MB`,
          `Spool: ${now.spool.depth} waiting${now.spool.poison > 0 ? `, ${now.spool.poison} set aside` : ''}`,
          `Hooks heard: ${heard.length > 0 ? heard.join(', ') : 'none since it started'}`,
          `Data: ${tilde(places.home)}`,
          ...paused.map((one) => pauseLine(one, place?.name ?? '')),
          ...(place?.ignored ? [LEFT_OUT] : []),
          ...(place ? [] : ['Index: not there yet, as when it is being built anew; searches wait for it']),
          ...(now.update ? [`Update: ${now.update.latest} is there. npx tidemark@latest install`] : []),
        ].join('\n'),
        screen.width,
      ),
    );
    return EXIT.ok;
  },
};
