/** Calls a running daemon the way the CLI does, over its socket. Never starts one. */
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import type { Places } from '../../src/core/index.ts';
import type { ArgsOf, CallName, ResultOf } from '../../src/daemon/index.ts';

interface AnswerLine {
  readonly result?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

export async function callDaemon<N extends CallName>(
  places: Places,
  name: N,
  args: ArgsOf<N>,
): Promise<ResultOf<N>> {
  const lines = await post(readFileSync(places.socketPointer, 'utf8').trim(), `/v1/call/${name}`, args);
  const last = JSON.parse(lines.trim().split('\n').at(-1) ?? '{}') as AnswerLine;
  if (last.error) throw new Error(`${name}: ${last.error.code}: ${last.error.message}`);
  return last.result as ResultOf<N>;
}

function post(socketPath: string, path: string, body: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, path, method: 'POST' }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve(text)).on('error', reject);
    });
    outgoing.on('error', reject).end(JSON.stringify(body));
  });
}
