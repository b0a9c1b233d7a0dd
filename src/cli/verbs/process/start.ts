/** Starts and stops the daemon; `start --welcome` also imports history and shows what was remembered. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findSessions, sessionSources } from '../../../agents/index.ts';
import { FIRST_AGENT, type Places } from '../../../core/index.ts';
import { recordProgram, type Client } from '../../../daemon/index.ts';
import { type ImportReport } from '../../../exchange/import/index.ts';
import { DIST, ownCommand, ownOrigin } from '../../program.ts';
import { counted } from '../../screen.ts';
import { flag, type Context, type Verb } from '../../verb.ts';
import { bringHistory, keepingLine } from '../data/import-history.ts';

/** The three lines appear within a minute, however much history there is; the import continues. */
const PATIENCE_MS = 35_000;
const STAY_MS = 60_000;

export const start: Verb = {
  name: 'start',
  usage: 'start [--welcome]',
  summary: 'Start the daemon; with --welcome, also import history and stay until Ctrl-C.',
  options: {
    welcome: flag('Import history (or a sample), show what was remembered, stay until Ctrl-C.'),
  },
  async run(context) {
    const { client, options, screen } = context;
    // npx may delete its download at any time; `install` makes a permanent copy.
    if (ownOrigin(context.places).kind !== 'package') recordProgram(context.places, DIST);
    const { started } = await client.start();
    if (options['welcome']) return welcome(context, started);
    if (options['json']) return screen.json({ started });
    screen.print(started ? 'The daemon is running.' : 'The daemon is already running.');
  },
};

async function welcome(context: Context, started: boolean): Promise<void> {
  const { client, screen } = context;
  const leave = new AbortController();
  // Not `once`: npm may pass the same Ctrl-C on twice, and the second must not interrupt the shutdown.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => leave.abort());
  const leaving = once(leave.signal, 'abort');
  const staying = setInterval(() => {}, STAY_MS); // waiting for a signal alone does not keep a process alive
  const bringing = bringSomething(context, leave.signal);
  await Promise.race([bringing, leaving, delay(PATIENCE_MS, undefined, { ref: false })]);
  if (!leave.signal.aborted) {
    // The result if it exists already, otherwise undefined.
    await greet(context, await Promise.race([bringing, undefined]));
    await Promise.race([bringing.then(() => leaving), leaving]);
  }
  clearInterval(staying);
  screen.done();
  if (started) await client.callIfUp('stop', {}).catch(() => {});
}

/** Prints three lines: what is remembered, where to look at it, what to do next. */
async function greet(context: Context, brought: Brought | undefined): Promise<void> {
  const { client, screen, cwd } = context;
  const stats = await client.call('read.stats', {});
  const hub = await client.call('hub.link', {});
  const parts = [
    counted(stats.memories, 'memory'),
    `from ${counted(stats.turns, 'turn')} in ${counted(stats.sessions, 'session')} of ${counted(stats.projects, 'project')}`,
  ];
  const note = brought?.sample
    ? ' (a bundled sample project: no past sessions were found on this machine)'
    : brought
      ? ''
      : ' so far (older sessions are still being read)';
  screen.print(`Remembered: ${parts.join(' ')}${note}.`);
  screen.print(`Hub:        ${hub.url}`);
  screen.print(`Install:    ${ownCommand(cwd)} install`);
  const keeping = await keepingLine(context);
  if (keeping) screen.say(keeping);
  screen.say('Ctrl-C to stop.');
}

type Brought = ImportReport & { readonly sample: boolean };

async function bringSomething(context: Context, signal: AbortSignal): Promise<Brought | undefined> {
  const own = sessionSources(context.env);
  const folder = join(__dirname, '..', 'sample');
  const isSample = findSessions(own).files.length === 0 && existsSync(folder);
  const sources = isSample ? [{ agent: FIRST_AGENT, folder }] : own;
  try {
    const report = await bringHistory(context, sources, { finished: isSample }, signal);
    return { ...report, sample: isSample };
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

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
