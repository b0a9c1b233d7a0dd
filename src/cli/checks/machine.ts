/** Checks the machine: Node, disk space, clock and settings. */
import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { loadConfig, placeOf } from '../../config/index.ts';
import type { Places } from '../../core/index.ts';
import { recordProgram } from '../../daemon/index.ts';
import { homeProblem } from '../../files/index.ts';
import { DIST } from '../program.ts';
import { counted } from '../screen.ts';
import type { Context } from '../verb.ts';
import { firstLine } from './_files.ts';
import { checkOf, type Check, type Live } from './check.ts';
import { receivedTimes } from './liveness.ts';

/** With less than this, a day's work may not fit. */
const LITTLE_DISK_MB = 200;
/** Two correct clocks may differ by this much. */
const CLOCK_SLACK_MS = 2 * 60_000;

export function dataFolder(places: Places): Check {
  const check = checkOf('data folder');
  const problem = homeProblem(places);
  if (problem) return check.wrong(problem.message, problem.hint ?? '');
  if (!existsSync(places.home)) return check.note(`${places.home} does not exist yet`);
  return check.well(places.home);
}

export function node(places: Places): Check {
  const check = checkOf('node');
  const recorded = firstLine(places.node);
  const fix = async (): Promise<string> => {
    recordProgram(places, DIST);
    return `recorded ${process.execPath} for the hooks`;
  };
  if (!recorded)
    return check.note(
      `${process.version}; none is recorded, so hooks search the PATH`,
      'Record this one with: tidemark doctor --fix',
      fix,
    );
  if (!existsSync(recorded))
    return check.wrong(
      `${recorded}, recorded for the hooks, no longer exists`,
      'Record this one with: tidemark doctor --fix',
      fix,
    );
  return check.well(`${process.version}; hooks use ${recorded}`);
}

export function disk(places: Places): Check {
  const check = checkOf('disk');
  const at = existsSync(places.home) ? places.home : dirname(places.home);
  const { bavail, bsize } = statfsSync(existsSync(at) ? at : process.cwd());
  const mb = Math.round((bavail * bsize) / 1024 / 1024);
  if (mb >= LITTLE_DISK_MB)
    return check.well(mb > 10_240 ? `${Math.round(mb / 1024)} GB free` : `${mb} MB free`);
  return check.wrong(`only ${mb} MB free`, 'Free some space: events cannot be stored on a full disk.');
}

/** Ids and order depend on time, so a wrong clock has lasting effects. */
export function clock(places: Places, live: Live | undefined, now: Date = new Date()): Check {
  const check = checkOf('clock');
  const limit = now.getTime() + CLOCK_SLACK_MS;
  const later = Object.entries(receivedTimes(places)).filter(([, at]) => Date.parse(at) > limit);
  const [first] = later;
  if (first)
    return check.wrong(
      `the hook ${first[0]} arrived at ${first[1]}, which is later than now (${now.toISOString()}): the clock was set back`,
      'Correct the clock. Memories made in the meantime keep their times.',
    );
  const future = live?.health.futureTurns ?? 0;
  if (future > 0)
    return check.wrong(
      `${counted(future, 'turn')} dated later than now (${now.toISOString()})`,
      'Correct the clock. If it is correct now, those turns were captured while it was wrong and sort after newer ones.',
    );
  return check.well(now.toISOString());
}

/** Shows whether the daemon asks npm for a newer version. */
export function updates({ places, env, flags }: Context): Check {
  const isOn = loadConfig({ places, env, flags }).values['updates.check'];
  return checkOf('updates').well(
    isOn
      ? 'npm is asked once a day for the newest version (updates.check)'
      : 'off (updates.check): npm is not asked for new versions',
  );
}

export function settings({ places, env, cwd, flags }: Context): readonly Check[] {
  const check = checkOf('settings');
  const { origins, problems } = loadConfig({ places, env, projectDir: cwd, flags });
  const own = Object.values(origins).filter((origin) => origin !== 'default').length;
  if (problems.length === 0)
    return [check.well(own === 0 ? 'all at their defaults' : `${own} changed, all valid`)];
  return problems.map((problem) => check.wrong(`${placeOf(problem)}: ${problem.reason}`, problem.hint));
}
