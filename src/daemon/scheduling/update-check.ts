/**
 * Checks whether a newer version was published: asks npm for the version number, at most once a day, in a child process
 * with a limit. Only where npm installed this program: a clone and a marketplace have their own updates.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isNewer, VERSION, type Places } from '../../core/index.ts';
import { readTextSync, STATE_BYTES, writeAtomically } from '../../files/index.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const ASK_TIMEOUT_MS = 20_000;
const PACKAGE = 'tidemark';

export interface Update {
  readonly checkedAt: string;
  readonly latest: string;
}

/** Returns what the last check found, if it is newer than this program. */
export function knownUpdate(places: Places): Update | undefined {
  const last = lastCheck(places);
  return last && isNewer(last.latest, VERSION) ? last : undefined;
}

/** Whether a check is due: enabled, installed by npm, and not done in the last day. */
export function isDue(places: Places, isOn: boolean, now: number, dist: string): boolean {
  if (!isOn || !isFromPackage(places, dist)) return false;
  const at = Date.parse(lastCheck(places)?.checkedAt ?? '');
  return !(now - at < DAY_MS && now >= at);
}

/** A failed check counts too, so that a machine without a network is not asked again and again. */
export async function checkForUpdate(places: Places, env: NodeJS.ProcessEnv): Promise<Update | undefined> {
  const answer = await askNpm(places, env);
  const latest = /^\d+\.\d+\.\d+$/.exec(answer)?.[0] ?? lastCheck(places)?.latest ?? VERSION;
  const found: Update = { checkedAt: new Date().toISOString(), latest };
  await writeAtomically(places.update, JSON.stringify(found), { synced: false });
  return knownUpdate(places);
}

export function updateText({ latest }: Update): string {
  return `Tidemark ${latest} is available (this is ${VERSION}). Update with: npx tidemark@latest install`;
}

/** Whether this program runs from the folder where `install` copies the package. */
function isFromPackage(places: Places, dist: string): boolean {
  return dirname(dirname(dist)) === places.app;
}

function askNpm(places: Places, env: NodeJS.ProcessEnv): Promise<string> {
  const isWindows = process.platform === 'win32';
  const beside = join(dirname(process.execPath), isWindows ? 'npm.cmd' : 'npm');
  const npm = existsSync(beside) && !isWindows ? beside : 'npm';
  return new Promise((resolve) => {
    execFile(
      npm,
      ['view', PACKAGE, 'version'],
      { cwd: places.home, env, timeout: ASK_TIMEOUT_MS, shell: isWindows, windowsHide: true },
      (error, stdout) => resolve(error ? '' : stdout.trim()),
    );
  });
}

function lastCheck(places: Places): Update | undefined {
  try {
    const { checkedAt, latest } = JSON.parse(readTextSync(places.update, STATE_BYTES)) as Partial<Update>;
    return typeof checkedAt === 'string' && typeof latest === 'string' ? { checkedAt, latest } : undefined;
  } catch {
    return undefined;
  }
}
