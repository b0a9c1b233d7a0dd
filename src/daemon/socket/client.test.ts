import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { placesIn } from '../../core/index.ts';
import { openClient } from './client.ts';

/** Answers `status`; ends at any other call, except when it is the last of several daemons. */
const ENDS_TOO_EARLY = `
const { appendFileSync, readFileSync, rmSync } = require('node:fs');
const { socket, starts, last } = require('./told.json');
appendFileSync(starts, 'x');
const isLast = readFileSync(starts, 'utf8').length >= last;
rmSync(socket, { force: true });
require('node:http').createServer((request, response) => {
  if (!isLast && !request.url.endsWith('/status')) process.exit();
  response.end(JSON.stringify({ result: 'answered' }) + '\\n', () => {
    if (isLast && !request.url.endsWith('/status')) process.exit();
  });
}).listen(socket);
`;

for (const [last, outcome] of [
  [3, 'is repeated with the next one'],
  [9, 'fails after a few of them'],
] as const) {
  test(`a call that meets only daemons that end ${outcome}`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'tidemark-client-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const starts = join(folder, 'starts');
    const places = placesIn(folder);
    writeFileSync(join(folder, 'daemon.cjs'), ENDS_TOO_EARLY);
    writeFileSync(join(folder, 'told.json'), JSON.stringify({ socket: places.socket, starts, last }));
    const call = openClient(places, {}, folder).call('embed.health', {});
    if (last === 3) assert.equal(await call, 'answered');
    else await assert.rejects(call, { code: 'unreachable' });
    assert.equal(readFileSync(starts, 'utf8'), 'xxx');
  });
}
