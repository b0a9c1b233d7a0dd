/**
 * The local socket: HTTP over a Unix socket (named pipe on Windows) that only its owner can open.
 * Translates requests into hooks and calls of the daemon.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, win32 } from 'node:path';
import { isToolHook, type ToolHookName } from '../../agents/wire/index.ts';
import { given, isHookName, shortHash, TidemarkError, type HookName, type Places } from '../../core/index.ts';
import type { Task } from '../api/table.ts';

/** sun_path is 104 bytes on macOS and 108 on Linux, the closing NUL included. */
const LONGEST_SOCKET_PATH = 100;
/** The caller's version: an older daemon makes room for a newer caller. */
export const VERSION_HEADER = 'tidemark-version';
const LARGEST_BODY = 64 * 1024 * 1024;

export interface SocketHandlers {
  /** While true, calls are not accepted: the connection ends without an answer, and the caller asks the next daemon. */
  isStopping(): boolean;
  /** Returns the answer to print, or undefined when the event could not be accepted. `agent`: as the hook names it. */
  hook(name: HookName, agent: string, body: Buffer): Promise<string | undefined>;
  /** Returns the answer to print at a tool call. */
  toolHook(name: ToolHookName, agent: string, body: Buffer): Promise<string>;
  /** Name and arguments are not checked yet. `version`: the caller's, if it sent one. */
  call(name: string, args: unknown, task: Task, version: string | undefined): Promise<unknown>;
}

export async function serveSocket(path: string, handlers: SocketHandlers): Promise<Server> {
  const server = createServer((request, response) => void route(request, response, handlers));
  server.keepAliveTimeout = 1000;
  if (process.platform !== 'win32') prepareFolder(dirname(path), path);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  if (process.platform !== 'win32') chmodSync(path, 0o600);
  return server;
}

/** Returns the socket's path: beside the data, or in a private runtime folder when that path is too long. */
export function socketPath(
  places: Pick<Places, 'home' | 'socket'>,
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): string {
  // A folder can be spelled in many ways on Windows.
  if (platform === 'win32')
    return `\\\\.\\pipe\\tidemark-${shortHash(win32.resolve(places.home).toLowerCase(), 12)}`;
  if (Buffer.byteLength(places.socket) <= LONGEST_SOCKET_PATH) return places.socket;
  const uid = process.getuid?.() ?? 0;
  const base = env['XDG_RUNTIME_DIR'] ?? tmpdir();
  const inBase = join(base, `tidemark-${uid}-${shortHash(places.home, 8)}`, 'd.sock');
  if (Buffer.byteLength(inBase) <= LONGEST_SOCKET_PATH) return inBase;
  return join('/tmp', `tidemark-${uid}-${shortHash(places.home, 8)}`, 'd.sock');
}

/** Throws where another user owns the folder, as is possible in a shared temp folder. */
function prepareFolder(folder: string, socket: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stat = lstatSync(folder);
  if (!stat.isDirectory() || (process.getuid && stat.uid !== process.getuid())) {
    throw new TidemarkError('socket-folder', `${folder} does not belong to this user`, {
      hint: 'Remove that folder, or set XDG_RUNTIME_DIR to one of your own.',
    });
  }
  chmodSync(folder, 0o700);
  rmSync(socket, { force: true });
}

async function route(
  request: IncomingMessage,
  response: ServerResponse,
  handlers: SocketHandlers,
): Promise<void> {
  const [, version, kind, name = '', agent = ''] = (request.url ?? '').split('/');
  if (request.method !== 'POST' || version !== 'v1') return send(response, 404, '');
  try {
    const body = await bodyOf(request);
    if (kind === 'hook' && isHookName(name)) {
      const answer = await handlers.hook(name, agent, body);
      return answer === undefined ? send(response, 503, '') : send(response, 200, answer);
    }
    if (kind === 'hook' && isToolHook(name))
      return send(response, 200, await handlers.toolHook(name, agent, body));
    if (kind === 'call') {
      if (handlers.isStopping()) return void request.destroy();
      const version = request.headers[VERSION_HEADER];
      return await answerCall(name, body, response, handlers, String(version ?? ''));
    }
    return send(response, 404, '');
  } catch (error) {
    return send(response, 500, JSON.stringify({ error: errorShape(error) }));
  }
}

/** Calls answer in lines of JSON: any number of `progress`, then one `result` or `error`. */
async function answerCall(
  name: string,
  body: Buffer,
  response: ServerResponse,
  handlers: SocketHandlers,
  version: string,
): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  // Sent before anything is done: a caller that received no headers may repeat the call (client.ts).
  response.writeHead(200, { 'content-type': 'application/x-ndjson' }).flushHeaders();
  const line = (value: unknown) => response.write(`${JSON.stringify(value)}\n`);
  try {
    const args: unknown = body.length === 0 ? {} : JSON.parse(body.toString('utf8'));
    const task: Task = { progress: (progress) => line({ progress }), signal: gone.signal };
    const result = await handlers.call(name, args, task, version || undefined);
    line({ result: result ?? null });
  } catch (error) {
    line({ error: errorShape(error) });
  }
  response.end();
}

/** The JSON shape of an error, which is public: code, message, and a hint where there is one. */
function errorShape(error: unknown): { code: string; message: string; hint?: string } {
  if (error instanceof TidemarkError)
    return { code: error.code, message: error.message, ...given({ hint: error.hint }) };
  return { code: 'internal', message: error instanceof Error ? error.message : String(error) };
}

function send(response: ServerResponse, status: number, body: string): void {
  if (response.headersSent) return void response.end();
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

function bodyOf(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > LARGEST_BODY) {
        request.destroy();
        return reject(new TidemarkError('too-large', 'the request is over 64 MB'));
      }
      chunks.push(chunk);
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
  });
}
