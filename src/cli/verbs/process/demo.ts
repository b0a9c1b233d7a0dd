/**
 * Shows Tidemark with the user's own past sessions, or a sample where there are none, in a data folder of its own that is
 * removed at the end. Never touches the real data folder, the real daemon or the settings of a client.
 */
import { join } from 'node:path';
import { findSessions, sessionSources, type SessionSource } from '../../../agents/index.ts';
import { environmentName, loadConfig, SETTING_KEYS, setConfig } from '../../../config/index.ts';
import { FIRST_AGENT, TidemarkError, type Places } from '../../../core/index.ts';
import {
  abandonedDemos,
  createDemo,
  openClient,
  recordedDaemon,
  removeDemo,
  type Client,
} from '../../../daemon/index.ts';
import { isSame, startTimeOf } from '../../../files/index.ts';
import type { ImportProgress } from '../../../exchange/import/index.ts';
import { hasBrowser, openInBrowser } from '../../browser.ts';
import { copySample } from '../../demo-sample.ts';
import { DIST, ownCommand } from '../../program.ts';
import { counted } from '../../screen.ts';
import { flag, type Context, type Verb } from '../../verb.ts';
import { progressLine } from '../data/import-history.ts';

/** However much history there is, the hub opens after this time. */
const IMPORT_MS = 60_000;
/** A daemon that does not stop in this time is killed: nothing in a demo is worth more. */
const EXIT_MS = 10_000;
const LOOK_MS = 25;
/** Waiting for a signal alone does not keep a process alive. */
const STAY_MS = 60_000;

export const demo: Verb = {
  name: 'demo',
  usage: 'demo [--sample] [--no-open]',
  summary: 'Try Tidemark with your past sessions in a temporary folder; Ctrl-C removes it.',
  options: {
    sample: flag('Show the bundled sample project instead of your sessions.'),
    'no-open': flag('Print the link to the hub, and open no browser.'),
  },
  async run(context) {
    for (const left of abandonedDemos()) await endDemo(left);
    const places = createDemo();
    // The last resort, also for an error and a closed terminal.
    process.on('exit', () => endAtOnce(places));
    const leave = new AbortController();
    // Not `once`: npm may pass the same Ctrl-C on twice, and the second must not interrupt the end.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => leave.abort());
    try {
      await show({ ...context, places, client: clientOf(context, places) }, leave.signal);
    } catch (error) {
      if (!leave.signal.aborted) throw error;
    } finally {
      await endDemo(places);
    }
  },
};

/** A daemon with the settings of a new installation, and the folders that the user excluded. */
function clientOf({ places: own, env, flags }: Context, places: Places): Client {
  const { values } = loadConfig({ places: own, env });
  setConfig(places, 'capture.ignore', values['capture.ignore']);
  setConfig(places, 'backup.days', 0);
  setConfig(places, 'daemon.idleMinutes', 10_080); // it ends with the demo
  const settings = new Set(SETTING_KEYS.map(environmentName));
  const others = Object.entries(env).filter(([name]) => !settings.has(name));
  const asked = SETTING_KEYS.flatMap((key) =>
    flags[key] === undefined ? [] : [[environmentName(key), flags[key]]],
  );
  return openClient(places, { ...Object.fromEntries([...others, ...asked]), TIDEMARK_HOME: places.home });
}

async function show(context: Context, signal: AbortSignal): Promise<void> {
  const { client, places, options, screen, cwd, env } = context;
  screen.say('This is a demo: it changes neither your memory nor your agents.');
  await client.start();
  signal.throwIfAborted();
  const brought = await bring(context, signal);
  const { memories, turns, sessions, projects } = await client.call('read.stats', {});
  const { url } = await client.call('hub.link', {});
  const opens = !options['no-open'] && screen.isTerminal && hasBrowser(env);
  // A link works once: the printed one stays for another browser.
  if (opens) openInBrowser((await client.call('hub.link', {})).url);
  const command = `${ownCommand(cwd)} install`;
  if (options['json'])
    screen.json({
      ...brought,
      memories,
      turns,
      sessions,
      projects,
      hub: url,
      install: command,
      folder: places.home,
    });
  else {
    const from = `${counted(turns, 'turn')} in ${counted(sessions, 'session')} of ${counted(projects, 'project')}`;
    const more = brought.left > 0 ? ` ${counted(brought.left, 'more session')}; install to import all.` : '';
    screen.print(
      `Remembered: ${counted(memories, 'memory')} from ${from}${brought.sample ? ' (invented)' : ''}.${more}`,
    );
    screen.print(`Hub:        ${url}`);
    screen.print(`Install:    ${command}`);
    const keeping = await client.call('keep.health', {});
    if (keeping.model !== null && keeping.waiting > 0)
      screen.say(
        `The small model is still reading ${counted(keeping.waiting, 'turn')}; the hub shows new memories as they come.`,
      );
    screen.say('Ctrl-C ends the demo and removes its folder. Nothing else was changed.');
  }
  await stay(signal);
}

interface Brought {
  readonly sample: boolean;
  /** Sessions that were found and not read in time. */
  readonly left: number;
}

async function bring(context: Context, signal: AbortSignal): Promise<Brought> {
  const { options, env, places, screen } = context;
  const own = sessionSources(env);
  const found = options['sample'] ? 0 : findSessions(own).files.length;
  if (found > 0) {
    const { done, total, turns } = await importFrom(context, own, signal);
    if (turns > 0) return { sample: false, left: total - done };
  }
  if (!options['sample'])
    screen.say(
      `${found > 0 ? 'None of the past sessions could be read' : 'No past sessions of a coding agent were found'}, so the demo shows a sample project.`,
    );
  const folder = join(places.home, 'sample');
  copySample(join(DIST, '..', 'sample'), folder, new Date());
  await importFrom(context, [{ agent: FIRST_AGENT, folder }], signal, true);
  return { sample: true, left: 0 };
}

/** Imports until the time is up; sessions are read newest first. */
async function importFrom(
  { client, screen }: Context,
  sources: readonly SessionSource[],
  leaving: AbortSignal,
  finished = false,
): Promise<Pick<ImportProgress, 'done' | 'total' | 'turns'>> {
  const startedAt = Date.now();
  let read: Pick<ImportProgress, 'done' | 'total' | 'turns'> = { done: 0, total: 0, turns: 0 };
  const signal = AbortSignal.any([leaving, AbortSignal.timeout(IMPORT_MS)]);
  const onProgress = (facts: ImportProgress): void => {
    read = facts;
    screen.progress(progressLine(facts, startedAt));
  };
  try {
    return await client.call('import.history', { sources, finished }, onProgress, signal);
  } catch (error) {
    if (!signal.aborted || leaving.aborted) throw error;
    return read;
  } finally {
    if (!leaving.aborted) screen.done();
  }
}

function stay(signal: AbortSignal): Promise<void> {
  const staying = setInterval(() => {}, STAY_MS);
  return new Promise((resolve) => {
    const end = (): void => {
      clearInterval(staying);
      resolve();
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end);
  });
}

/** Stops the daemon of a demo and removes its folder. */
async function endDemo(places: Places): Promise<void> {
  const daemon = recordedDaemon(places);
  if (daemon?.running) {
    const startTime = startTimeOf(daemon.pid);
    const deadline = Date.now() + EXIT_MS;
    await openClient(places, {})
      .callIfUp('stop', {}, AbortSignal.timeout(EXIT_MS))
      .catch(() => {});
    while (isSame(daemon.pid, startTime) && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  endAtOnce(places);
}

function endAtOnce(places: Places): void {
  const daemon = recordedDaemon(places);
  try {
    if (daemon?.running) process.kill(daemon.pid, 'SIGKILL');
    removeDemo(places);
  } catch (error) {
    throw new TidemarkError('demo', `the folder of the demo could not be removed: ${places.home}`, {
      cause: error,
      hint: 'The next demo removes it.',
    });
  }
}
