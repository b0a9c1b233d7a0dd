/** Starts the daemon; with --welcome, everything a newcomer needs to see it work. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { claudeConfigDir } from '../../../agents/index.ts';
import { recordProgram } from '../../../daemon/index.ts';
import type { IndexStats } from '../../../database/index.ts';
import { type ImportReport, listTranscripts } from '../../../exchange/import/index.ts';
import { DIST, ownCommand, ownOrigin } from '../../program.ts';
import { counted } from '../../screen.ts';
import { JSON_OPTION, type Context, type Verb } from '../../verb.ts';
import { bringHistory } from '../data/import-history.ts';

/** A newcomer sees the three lines within a minute, however much history there is; the rest is read meanwhile. */
const PATIENCE_MS = 35_000;
const STAY_MS = 60_000;

export const start: Verb = {
  name: 'start',
  usage: 'start [--welcome]',
  summary: 'Start the daemon; with --welcome, also bring history in and stay until Ctrl-C.',
  options: {
    welcome: {
      type: 'boolean',
      doc: 'Bring history in (or a sample), say what was remembered, stay until Ctrl-C.',
    },
    ...JSON_OPTION,
  },
  async run(context) {
    const { client, options, screen } = context;
    // What npx fetched may be gone tomorrow; `install` makes a copy that stays.
    if (ownOrigin(context.places).kind !== 'package') recordProgram(context.places, DIST);
    const { started } = await client.start();
    if (options['welcome']) return welcome(context, started);
    if (options['json']) return screen.json({ started });
    screen.print(started ? 'The daemon is running.' : 'The daemon was running already.');
  },
};

async function welcome(context: Context, started: boolean): Promise<void> {
  const { client, screen } = context;
  const leave = new AbortController();
  // Not once: npm may pass the same Ctrl-C on a second time, and that one must not kill the leaving.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => leave.abort());
  const leaving = once(leave.signal, 'abort');
  const staying = setInterval(() => {}, STAY_MS); // waiting for a signal alone does not keep a process alive
  const bringing = bringSomething(context, leave.signal);
  await Promise.race([bringing, leaving, delay(PATIENCE_MS, undefined, { ref: false })]);
  if (!leave.signal.aborted) {
    // What is there by now: the race goes to the first of the two that is settled.
    await greet(context, await Promise.race([bringing, undefined]));
    await Promise.race([bringing.then(() => leaving), leaving]);
  }
  clearInterval(staying);
  screen.done();
  if (started) await client.callIfUp('stop').catch(() => {});
}

/** Three lines: what is remembered, where to look at it, how to go on. */
async function greet({ client, screen, cwd }: Context, brought: Brought | undefined): Promise<void> {
  const stats = await client.call<IndexStats>('read.stats');
  const hub = await client.call<{ url: string }>('hub.link');
  const parts = [
    counted(stats.memories, 'memory', 'memories'),
    `from ${counted(stats.turns, 'turn')} in ${counted(stats.sessions, 'session')} of ${counted(stats.projects, 'project')}`,
  ];
  const note = brought?.sample
    ? ' (a bundled sample project: no Claude Code history was found on this machine)'
    : brought
      ? ''
      : ' so far (older sessions are still being read)';
  screen.print(`Remembered: ${parts.join(' ')}${note}.`);
  screen.print(`Hub:        ${hub.url}`);
  screen.print(`Install:    ${ownCommand(cwd)} install`);
  screen.say('Ctrl-C to leave.');
}

type Brought = ImportReport & { readonly sample: boolean };

async function bringSomething(context: Context, signal: AbortSignal): Promise<Brought | undefined> {
  const own = claudeConfigDir(context.env);
  const sample = join(__dirname, '..', 'sample');
  const isSample = listTranscripts(own).length === 0 && existsSync(sample);
  try {
    return {
      ...(await bringHistory(context, isSample ? sample : own, { finished: isSample }, signal)),
      sample: isSample,
    };
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}
