/** Is it alive, and what is it doing? Starts nothing. */
import type { DaemonStatus } from '../../daemon/index.ts';
import { age } from '../../recall/index.ts';
import { EXIT, JSON_OPTION, type Verb } from '../verb.ts';

export const status: Verb = {
  name: 'status',
  usage: 'status',
  summary: 'Show whether the daemon runs, what waits, and when each hook was last heard.',
  options: { ...JSON_OPTION },
  async run({ options, client, screen, places }) {
    if (!(await client.isUp())) {
      if (options['json']) screen.json({ running: false, home: places.home });
      else
        screen.print('The daemon is not running. It starts with the next session, or with: tidemark start');
      return EXIT.unreachable;
    }
    const now = await client.call<DaemonStatus>('status');
    if (options['json']) return screen.json({ running: true, home: places.home, ...now });
    const heard = Object.entries(now.lastEvent).map(([event, at]) => `${event} ${age(at, new Date())}`);
    screen.print(
      [
        `Daemon ${now.version}, pid ${now.pid}, up since ${age(now.startedAt, new Date())}, ${now.rssMb} MB`,
        `Spool: ${now.spool.depth} waiting${now.spool.poison > 0 ? `, ${now.spool.poison} set aside` : ''}`,
        `Hooks heard: ${heard.length > 0 ? heard.join(', ') : 'none since it started'}`,
        `Data: ${places.home}`,
        ...(now.update ? [`Update: ${now.update.latest} is there. npx tidemark@latest install`] : []),
      ].join('\n'),
    );
    return EXIT.ok;
  },
};
