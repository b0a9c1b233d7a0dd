/** Calls the daemon over its socket, and starts it where none runs. */
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { daemonEnv, TidemarkError, VERSION, type Places } from '../../core/index.ts';
import { readTextSync, requireUsableHome, STATE_BYTES, withPrivateUmask } from '../../files/index.ts';
import type { ArgsOf, CallName, DaemonCall, ResultOf } from '../api/table.ts';
import { refuseNewerFormat } from '../lifecycle/format-marker.ts';

const START_TIMEOUT_MS = 10_000;
const POLL_MS = 25;
/** A daemon that is idle may end just before a call arrives, also one that was just started. */
const MOST_STARTS = 3;
const NOT_RECEIVED: readonly string[] = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'];
/** A daemon that is silent for this long hangs; a busy one answers. */
const HANGS_MS = 5000;

export interface Client {
  /** Calls the daemon, starting it first where needed. */
  readonly call: DaemonCall;
  /** Calls the daemon where one runs; undefined where none does. */
  callIfUp<N extends CallName>(
    name: N,
    args: ArgsOf<N>,
    signal?: AbortSignal,
  ): Promise<ResultOf<N> | undefined>;
  /** Whether a daemon answers, without starting one. */
  isUp(): Promise<boolean>;
  start(): Promise<{ readonly started: boolean }>;
}

/** `dist`: the folder of the daemon's program, when it is not this program's folder. */
export function openClient(places: Places, env: NodeJS.ProcessEnv, dist = __dirname): Client {
  const isUp = () =>
    ask(places, 'status', {}, () => {}, AbortSignal.timeout(HANGS_MS)).then(
      () => true,
      () => false,
    );
  const start = async () => {
    if (await isUp()) return { started: false };
    // The daemon would refuse both too, but only in its log, which it may not be able to write.
    requireUsableHome(places);
    refuseNewerFormat(places);
    const deadline = Date.now() + START_TIMEOUT_MS;
    let daemon = startDaemon(places, env, dist);
    while (Date.now() < deadline) {
      if (await isUp()) return { started: true };
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      // It found the lock taken by a daemon that is stopping and no longer answers.
      if (daemon.exitCode === 0) daemon = startDaemon(places, env, dist);
    }
    throw new TidemarkError('daemon-silent', 'the daemon did not start in time', {
      hint: `See ${places.log}, or run: tidemark doctor`,
    });
  };
  return {
    isUp,
    start,
    callIfUp: (name, args, signal) =>
      ask(places, name, args, undefined, signal).catch((error: unknown) => {
        if (isNotReceived(error)) return undefined;
        throw error;
      }),
    call: async (name, args, onProgress, signal) => {
      for (let starts = 0; ; starts++) {
        try {
          return await ask(places, name, args, onProgress, signal);
        } catch (error) {
          // Only a call that no daemon can have started is repeated.
          if (!isNotReceived(error) || starts === MOST_STARTS) throw error;
        }
        await start();
      }
    },
  };
}

function startDaemon(places: Places, env: NodeJS.ProcessEnv, dist: string): ChildProcess {
  const program = join(dist, 'daemon.cjs');
  if (!existsSync(program)) {
    throw new TidemarkError('not-built', 'the program is not built', { hint: 'In a clone, run: npm start' });
  }
  const { spawn } = process.getBuiltinModule('node:child_process');
  const options = {
    detached: true,
    stdio: 'ignore',
    env: daemonEnv(env, places),
    windowsHide: true,
  } as const;
  const daemon = withPrivateUmask(() => spawn(process.execPath, [program], options));
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

/** The daemon answers with the type of the table; the socket cannot prove it. */
function ask<N extends CallName>(
  places: Places,
  name: N,
  args: ArgsOf<N>,
  onProgress: (facts: never) => void = () => {},
  signal?: AbortSignal,
): Promise<ResultOf<N>> {
  // Loaded here because it is slow to load, and printing help or listing tools does not need it.
  const { request } = process.getBuiltinModule('node:http');
  return new Promise((resolve, reject) => {
    const options = {
      socketPath: socketOf(places),
      path: `/v1/call/${name}`,
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
        for (const line of lines) settle(line, onProgress, resolve as (value: unknown) => void, reject);
      });
      const cutOff = (cause?: unknown) =>
        reject(new TidemarkError('cut-off', 'the daemon stopped in the middle of its answer', { cause }));
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
 * Whether no daemon has started the call: none runs, or the connection broke before the response headers, which the
 * daemon sends before it starts (socket.ts).
 */
function isNotReceived(error: unknown): boolean {
  const { code, cause } = error as TidemarkError;
  return (
    code === 'unreachable' && NOT_RECEIVED.includes((cause as NodeJS.ErrnoException | undefined)?.code ?? '')
  );
}

/** Reads one line of the daemon's answer (see socket.ts). */
function settle(
  line: string,
  onProgress: (facts: never) => void,
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
  if ('progress' in answer) return onProgress(answer.progress as never); // of the type that the table names
  resolve(answer.result);
}
