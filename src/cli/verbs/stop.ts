/** Stops the daemon. The next hook starts it again. */
import { existsSync } from 'node:fs';
import { JSON_OPTION, type Verb } from '../verb.ts';

export const stop: Verb = {
  name: 'stop',
  usage: 'stop',
  summary: 'Stop the daemon; the next session starts it again.',
  options: { ...JSON_OPTION },
  async run({ options, client, places, screen }) {
    const up = await client.isUp();
    if (up) await client.call('stop');
    while (up && existsSync(places.daemon)) await new Promise((resolve) => setTimeout(resolve, 25));
    if (options['json']) return screen.json({ stopped: up });
    screen.print(up ? 'The daemon has stopped.' : 'No daemon was running.');
  },
};
