/** The machine: Node, the one recorded for hooks, room on the disk, a clock that runs forward, settings that are understood. */
import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { loadConfig, placeOf } from '../../config/index.ts';
import type { Places } from '../../core/index.ts';
import { recordProgram } from '../../daemon/index.ts';
import { DIST } from '../program.ts';
import { counted } from '../screen.ts';
import type { Context } from '../verb.ts';
import { firstLine } from './_files.ts';
import { note, well, wrong, type Check, type Live } from './check.ts';
import { heardTimes } from './hooks.ts';

/** Below this a day's work may not fit any more. */
const LITTLE_DISK_MB = 200;
/** Two clocks that are both right may differ by this much. */
const CLOCK_SLACK_MS = 2 * 60_000;

export function dataFolder(places: Places): Check {
  const name = 'data folder';
  if (!existsSync(places.home)) return note(name, `${places.home} is not there yet`);
  try {
    accessSync(places.home, constants.W_OK);
    return well(name, places.home);
  } catch {
    return wrong(name, `${places.home} cannot be written`, 'Give it back to your user: chown and chmod 700.');
  }
}

export function node(places: Places): Check {
  const name = 'node';
  const recorded = firstLine(places.node);
  const fix = async (): Promise<string> => {
    recordProgram(places, DIST);
    return `recorded ${process.execPath} for the hooks`;
  };
  if (!recorded)
    return note(
      name,
      `${process.version}; none is recorded, so hooks look for one on the PATH`,
      'Record this one with: tidemark doctor --fix',
      fix,
    );
  if (!existsSync(recorded))
    return wrong(
      name,
      `${recorded}, recorded for the hooks, is gone`,
      'Record this one with: tidemark doctor --fix',
      fix,
    );
  return well(name, `${process.version}; hooks use ${recorded}`);
}

export function disk(places: Places): Check {
  const at = existsSync(places.home) ? places.home : dirname(places.home);
  const { bavail, bsize } = statfsSync(existsSync(at) ? at : process.cwd());
  const mb = Math.round((bavail * bsize) / 1024 / 1024);
  if (mb >= LITTLE_DISK_MB)
    return well('disk', mb > 10_240 ? `${Math.round(mb / 1024)} GB free` : `${mb} MB free`);
  return wrong('disk', `only ${mb} MB free`, 'Make room: events cannot be kept on a full disk.');
}

/** Ids and order come from times: what a wrong clock wrote stays where it put it. */
export function clock(places: Places, live: Live | undefined, now: Date = new Date()): Check {
  const name = 'clock';
  const limit = now.getTime() + CLOCK_SLACK_MS;
  const later = Object.entries(heardTimes(places)).filter(([, at]) => Date.parse(at) > limit);
  const [first] = later;
  if (first)
    return wrong(
      name,
      `the hook ${first[0]} was heard at ${first[1]}, which is later than now (${now.toISOString()}): the clock was set back`,
      'Set the clock right. Memories made meanwhile keep the time they were given.',
    );
  const future = live?.health.futureTurns ?? 0;
  if (future > 0)
    return wrong(
      name,
      `${counted(future, 'turn')} dated later than now (${now.toISOString()})`,
      'Set the clock right; if it is right now, those turns were taken while it was wrong and sort after newer ones.',
    );
  return well(name, now.toISOString());
}

export function settings({ places, env, cwd, flags }: Context): readonly Check[] {
  const { origins, problems } = loadConfig({ places, env, projectDir: cwd, flags });
  const own = Object.values(origins).filter((origin) => origin !== 'default').length;
  if (problems.length === 0)
    return [well('settings', own === 0 ? 'all at their defaults' : `${own} of your own, all understood`)];
  return problems.map((problem) => wrong('settings', `${placeOf(problem)}: ${problem.reason}`, problem.hint));
}
