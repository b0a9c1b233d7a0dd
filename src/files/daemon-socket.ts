/** Finds the daemon's socket, and sends it one request without node:http, which takes 30 ms to load. */
import { lstatSync } from 'node:fs';
import { connect } from 'node:net';
import type { Places } from '../core/index.ts';
import { firstLineOf } from './bounded-read.ts';

/**
 * `unsent`: not tried. `refused`: no one listens. `rejected`: an HTTP error, so the daemon listens.
 * `timed-out`: no complete answer in time. `broken`: anything else, such as a cut answer.
 */
export const SENT = ['unsent', 'refused', 'rejected', 'timed-out', 'broken'] as const;

export type Sent = (typeof SENT)[number];

export type Answer =
  | { readonly kind: 'answer'; readonly output: string }
  | { readonly kind: 'rejected'; readonly status: number }
  | { readonly kind: Exclude<Sent, 'unsent' | 'rejected'> };

/** An answer is small (at most 10,000 units of context); a larger one is not ours. */
const ANSWER_LIMIT_BYTES = 1024 * 1024;

/** Returns the socket named by the pointer file if it exists and is ours: another user's socket counts as absent. */
export function findSocket(
  places: Pick<Places, 'socketPointer'>,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const path = firstLineOf(places.socketPointer);
  if (!path) return undefined;
  if (platform === 'win32') return path; // a named pipe has no owner
  try {
    const stat = lstatSync(path);
    return stat.isSocket() && stat.uid === process.getuid?.() ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Posts `body` to `path`. Only a complete 200 within `limitMs` counts as an answer. */
export function ask(socket: string, path: string, body: Buffer, limitMs: number): Promise<Answer> {
  return new Promise((resolve) => {
    const connection = connect({ path: socket });
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => settle({ kind: 'timed-out' }), Math.max(1, limitMs));
    const settle = (answer: Answer): void => {
      clearTimeout(timer);
      connection.destroy();
      resolve(answer);
    };
    connection.on('connect', () => connection.write(Buffer.concat([head(path, body.length), body])));
    connection.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > ANSWER_LIMIT_BYTES) return settle({ kind: 'broken' });
      const answer = parseAnswer(Buffer.concat(chunks));
      if (answer) settle(answer);
    });
    connection.on('error', (error: NodeJS.ErrnoException) =>
      settle({ kind: error.code === 'ECONNREFUSED' || error.code === 'ENOENT' ? 'refused' : 'broken' }),
    );
    connection.on('close', () => settle({ kind: 'broken' }));
  });
}

/** Sent with the body in one write: a second write may reach a daemon that already answered and closed. */
function head(path: string, length: number): Buffer {
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-tidemark-hook\r\n` +
      `Content-Length: ${length}\r\nConnection: close\r\n\r\n`,
  );
}

/** Returns undefined until the answer is complete. Only a Content-Length shows that it is. */
function parseAnswer(bytes: Buffer): Answer | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const head = bytes.toString('latin1', 0, headEnd);
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? 0);
  if (status !== 200) return { kind: 'rejected', status };
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) return { kind: 'broken' };
  const start = headEnd + 4;
  const end = start + Number(length);
  if (bytes.length < end) return undefined;
  return { kind: 'answer', output: printable(bytes.toString('utf8', start, end)) };
}

/** Returns one line with a JSON object, or nothing: the client injects anything else as plain text. */
export function printable(text: string): string {
  const line = text.trim();
  if (!line.startsWith('{') || line.includes('\n')) return '';
  try {
    JSON.parse(line);
    return line;
  } catch {
    return '';
  }
}
