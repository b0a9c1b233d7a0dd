/** Starts and stops the daemon. */
import { existsSync } from 'node:fs';
import type { Places } from '../../../core/index.ts';
import { recordProgram, type Client } from '../../../daemon/index.ts';
import { DIST, ownOrigin } from '../../program.ts';
import type { Verb } from '../../verb.ts';

export const start: Verb = {
  name: 'start',
  usage: 'start',
  summary: 'Start the daemon.',
  async run({ client, options, places, screen }) {
    // npx may delete its download at any time; `install` makes a permanent copy.
    if (ownOrigin(places).kind !== 'package') recordProgram(places, DIST);
    const { started } = await client.start();
    if (options['json']) return screen.json({ started });
    screen.print(started ? 'The daemon is running.' : 'The daemon is already running.');
  },
};

/** The daemon finishes its current event and closes its stores; a killed one leaves its file behind. */
const EXIT_MS = 10_000;

export const stop: Verb = {
  name: 'stop',
  usage: 'stop',
  summary: 'Stop the daemon; the next session starts it again.',
  async run({ options, client, places, screen }) {
    const up = await stopAndWait(client, places);
    if (options['json']) return screen.json({ stopped: up });
    screen.print(up ? 'The daemon has stopped.' : 'No daemon was running.');
  },
};

/** Stops the daemon and waits until it has exited. Returns whether it was running. */
export async function stopAndWait(client: Client, places: Places): Promise<boolean> {
  if (!(await client.isUp())) return false;
  await client.callIfUp('stop', {});
  const deadline = Date.now() + EXIT_MS;
  while (existsSync(places.daemon) && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 25));
  return true;
}
