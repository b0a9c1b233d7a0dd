/** Starts the daemon that replaces this one, so that open sessions continue without a gap. */
import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { daemonEnv, type Places } from '../../core/index.ts';

/** `dist`: folder of the newer program. It came over a socket that only this user can open. */
export function startSuccessor(places: Places, dist: string | undefined): boolean {
  if (dist === undefined || !isAbsolute(dist)) return false;
  const program = join(dist, 'daemon.cjs');
  if (!existsSync(program) || !isOwn(program)) return false;
  const child = spawn(process.execPath, [program], {
    detached: true,
    stdio: 'ignore',
    cwd: process.cwd(),
    env: daemonEnv(process.env, places),
    windowsHide: true,
  });
  child.on('error', () => {}); // the next hook starts one
  child.unref();
  return true;
}

function isOwn(file: string): boolean {
  const uid = process.getuid?.();
  if (uid === undefined) return true;
  const owner = statSync(file).uid;
  return owner === uid || owner === 0; // a package installed for all users belongs to root
}
