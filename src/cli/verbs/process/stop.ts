/** Stops the daemon. The next hook starts it again. */
import { existsSync } from 'node:fs';
import type { Places } from '../../../core/index.ts';
import type { Client } from '../../../daemon/index.ts';
import { JSON_OPTION, type Verb } from '../../verb.ts';

/** It finishes the event in hand and closes its stores; a killed one leaves its file lying. */
const LEAVE_MS = 10_000;

export const stop: Verb = {
  name: 'stop',
  usage: 'stop',
  summary: 'Stop the daemon; the next session starts it again.',
  options: { ...JSON_OPTION },
  async run({ options, client, places, screen }) {
    const up = await stopAndWait(client, places);
    if (options['json']) return screen.json({ stopped: up });
    screen.print(up ? 'The daemon has stopped.' : 'No daemon was running.');
  },
};

/** Whether one was running. Returns when it has left. */
export async function stopAndWait(client: Client, places: Places): Promise<boolean> {
  if (!(await client.isUp())) return false;
  await client.callIfUp('stop');
  const deadline = Date.now() + LEAVE_MS;
  while (existsSync(places.daemon) && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 25));
  return true;
}
