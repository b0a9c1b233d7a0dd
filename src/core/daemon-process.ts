/** The environment of the daemon's process. Pure. */
import type { Places } from './places.ts';

/**
 * Settings of glibc's allocator, which reads them only at the start. By default it raises both thresholds with the first
 * large buffers it frees, and later ones stay in the process. Blocks from 16 KB go back to the system when they are
 * freed; with 32 KB the daemon at rest takes 2 MB more. One arena, because what an ended thread leaves in its own
 * serves no other thread. Other systems ignore them.
 */
const ALLOCATOR = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '16384',
  MALLOC_TRIM_THRESHOLD_: '131072',
} as const;

/** Where Node stores compiled programs: a daemon that starts the second time need not compile itself. */
const CACHE = 'NODE_COMPILE_CACHE';

type Env = Readonly<Record<string, string | undefined>>;

/** Returns the environment to start the daemon with. */
export function daemonEnv(
  env: Env,
  { compiled }: Pick<Places, 'compiled'>,
): Record<string, string | undefined> {
  return { ...env, ...ALLOCATOR, [CACHE]: compiled };
}

/** Removes what was meant for the daemon alone, before it starts other programs. */
export function leaveDaemonEnv(env: Record<string, string | undefined>): void {
  for (const name of [...Object.keys(ALLOCATOR), CACHE]) delete env[name];
}
