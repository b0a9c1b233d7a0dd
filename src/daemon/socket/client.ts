/** How the edges talk to the daemon: over its socket, starting it when it is not there. Holds no rules of its own. */
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TidemarkError, VERSION, type Places } from '../../core/index.ts';
import { readTextSync, STATE_BYTES } from '../../files/index.ts';
import { refuseNewerFormat } from '../lifecycle/format-marker.ts';

const START_TIMEOUT_MS = 10_000;
const POLL_MS = 25;
const UNHEARD: readonly string[] = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'];
/** A daemon that says nothing for this long hangs; one that is merely busy answers. */
const HANGS_MS = 5000;

export interface Client {
  /** Calls the daemon, starting it first where needed. */
  call<T>(
    method: string,
    args?: unknown,
    onProgress?: (facts: unknown) => void,
    signal?: AbortSignal,
  ): Promise<T>;
  /** Calls the daemon only where one is up; nothing where none is. */
  callIfUp<T>(method: string, args?: unknown, signal?: AbortSignal): Promise<T | undefined>;
  /** Whether a daemon answers, without starting one. */
  isUp(): Promise<boolean>;
  start(): Promise<{ readonly started: boolean }>;
}

/** `dist`: where the daemon's program lies, when it is not beside ours. */
export function openClient(places: Places, env: NodeJS.ProcessEnv, dist = __dirname): Client {
  const isUp = () =>
    ask(places, 'status', {}, () => {}, AbortSignal.timeout(HANGS_MS)).then(
      () => true,
      () => false,
    );
  const start = async () => {
    if (await isUp()) return { started: false };
    refuseNewerFormat(places); // the daemon would refuse too, and nobody would hear it
    const deadline = Date.now() + START_TIMEOUT_MS;
    let daemon = startDaemon(env, dist);
    while (Date.now() < deadline) {
      if (await isUp()) return { started: true };
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      // It left the place to one that is on its way out: that one no longer answers, and still has the lock.
      if (daemon.exitCode === 0) daemon = startDaemon(env, dist);
    }
    throw new TidemarkError('daemon-silent', 'the daemon did not start in time', {
      hint: `Look at ${places.log}, or run: tidemark doctor`,
    });
  };
  return {
    isUp,
    start,
    callIfUp: <T>(method: string, args: unknown = {}, signal?: AbortSignal) =>
      ask(places, method, args, undefined, signal).then(
        (result) => result as T,
        (error: unknown) => {
          if (isUnheard(error)) return undefined;
          throw error;
        },
      ),
    call: async <T>(
      method: string,
      args: unknown = {},
      onProgress?: (facts: unknown) => void,
      signal?: AbortSignal,
    ) => {
      try {
        return (await ask(places, method, args, onProgress, signal)) as T;
      } catch (error) {
        // Only what nobody can have acted on is asked again.
        if (!isUnheard(error)) throw error;
      }
      await start();
      return (await ask(places, method, args, onProgress, signal)) as T;
    },
  };
}

function startDaemon(env: NodeJS.ProcessEnv, dist: string): ChildProcess {
  const program = join(dist, 'daemon.cjs');
  if (!existsSync(program)) {
    throw new TidemarkError('not-built', 'the program is not built', { hint: 'In a clone, run: npm start' });
  }
  const { spawn } = process.getBuiltinModule('node:child_process');
  const options = { detached: true, stdio: 'ignore', env, windowsHide: true } as const;
  const daemon = spawn(process.execPath, [program], options);
  daemon.unref();
  return daemon;
}

function socketOf(places: Places): string {
  try {
    return readTextSync(places.socketPointer, STATE_BYTES).trim();
  } catch {
    return places.socket;
  }
}

function ask(
  places: Places,
  method: string,
  args: unknown,
  onProgress: (facts: unknown) => void = () => {},
  signal?: AbortSignal,
): Promise<unknown> {
  // Loaded here because it takes longer than all the rest, and what only prints help or lists tools never asks.
  const { request } = process.getBuiltinModule('node:http');
  return new Promise((resolve, reject) => {
    const options = {
      socketPath: socketOf(places),
      path: `/v1/call/${method}`,
      method: 'POST',
      headers: { 'tidemark-version': VERSION }, // VERSION_HEADER of socket.ts, which would bring a server along
      ...(signal ? { signal } : {}),
    };
    const outgoing = request(options, (response) => {
      let rest = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) settle(line, onProgress, resolve, reject);
      });
      const cutOff = (cause?: unknown) =>
        reject(new TidemarkError('cut-off', 'the daemon left in the middle of its answer', { cause }));
      response.on('end', cutOff);
      response.on('error', cutOff);
    });
    outgoing.on('error', (cause) =>
      reject(
        new TidemarkError('unreachable', 'the daemon cannot be reached', {
          cause,
          hint: 'Run: tidemark doctor',
        }),
      ),
    );
    outgoing.end(JSON.stringify(args));
  });
}

/**
 * Nobody there, or the connection broke before the daemon said that it begins, which it says before it does (socket.ts):
 * it died or left while the question lay in its queue.
 */
function isUnheard(error: unknown): boolean {
  const { code, cause } = error as TidemarkError;
  return code === 'unreachable' && UNHEARD.includes((cause as NodeJS.ErrnoException | undefined)?.code ?? '');
}

/** One line of the daemon's answer (see daemon/socket.ts). */
function settle(
  line: string,
  onProgress: (facts: unknown) => void,
  resolve: (value: unknown) => void,
  reject: (error: Error) => void,
): void {
  const answer = JSON.parse(line) as {
    progress?: unknown;
    result?: unknown;
    error?: { code: string; message: string; hint?: string };
  };
  if (answer.error) {
    const { code, message, hint } = answer.error;
    return reject(new TidemarkError(code, message, hint ? { hint } : {}));
  }
  if ('progress' in answer) return onProgress(answer.progress);
  resolve(answer.result);
}
