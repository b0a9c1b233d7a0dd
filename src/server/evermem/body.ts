/** The JSON of a request, a GET's as well: the web's `Request` forbids that one a body, so Node's own is read. */
import type { IncomingMessage } from 'node:http';
import { jsonOf } from '../../http/index.ts';
import { TidemarkError } from '../../model/index.ts';

export async function bodyOfRequest(incoming: IncomingMessage, largest: number): Promise<unknown> {
  if (Number(incoming.headers['content-length'] ?? 0) > largest) throw tooLarge(largest);
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of incoming as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > largest) throw tooLarge(largest);
    parts.push(part);
  }
  return jsonOf(Buffer.concat(parts).toString('utf8'));
}

function tooLarge(largest: number): TidemarkError {
  return new TidemarkError('too-large', `the body is over ${Math.floor(largest / 1024)} KB`);
}
