import assert from 'node:assert/strict';
import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { collect } from '../../../../test/support/collect-turns.ts';
import { emptyNotes, type ReadOptions, type TurnRead } from '../../transcript.ts';

const folder = mkdtempSync(join(tmpdir(), 'tidemark-lines-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'session.jsonl');

const prompt = (uuid: string, text: string): string =>
  JSON.stringify({
    type: 'user',
    uuid,
    timestamp: '2026-11-15T10:00:00.000Z',
    message: { role: 'user', content: text },
  });
const answer = (uuid: string, text: string): string =>
  JSON.stringify({
    type: 'assistant',
    uuid,
    timestamp: '2026-11-15T10:00:01.000Z',
    message: { id: `m-${uuid}`, content: [{ type: 'text', text }], stop_reason: 'end_turn' },
  });

async function turns(options: ReadOptions = {}): Promise<TurnRead[]> {
  return collect(path, options);
}
async function told(options: ReadOptions = {}): Promise<string[]> {
  return (await turns(options)).map(({ turn }) => `${turn.prompt}|${turn.answer}`);
}

test('a missing or empty file has no turns', async () => {
  assert.deepEqual(await collect(join(folder, 'absent.jsonl')), []);
  writeFileSync(path, '');
  assert.deepEqual(await turns(), []);
});

test('an unreadable file gives an error with a hint', async () => {
  await assert.rejects(collect(join(path, 'below-a-file.jsonl')), {
    code: 'transcript-unreadable',
  });
});

test('an incomplete last line is read once it is complete', async () => {
  const line = answer('b', 'déjà vu');
  const bytes = Buffer.from(line);
  const middle = bytes.indexOf(0xc3) + 1; // between the two bytes of é
  writeFileSync(path, `${prompt('a', 'why?')}\n`);
  appendFileSync(path, bytes.subarray(0, middle));
  const notes = emptyNotes();
  assert.deepEqual(await told({ notes }), ['why?|']);
  assert.deepEqual([notes.malformed, notes.end], [0, Buffer.byteLength(prompt('a', 'why?')) + 1]);
  appendFileSync(path, bytes.subarray(middle));
  assert.deepEqual(await told(), ['why?|déjà vu'], 'whole, though its newline is missing yet');
});

test('carriage returns, NULs, a byte order mark, empty lines and lines of noise are ignored', async () => {
  const notes = emptyNotes();
  writeFileSync(
    path,
    `\uFEFF${prompt('a', 'one')}\r\n\r\n\0\0\0${answer('b', 'two')}\r\nnot json\n[1]\n"text"\n\0\0\n{"type":"user"}\n`,
  );
  assert.deepEqual(await told({ notes }), ['one|two']);
  assert.equal(notes.malformed, 3);
  assert.deepEqual(notes.problems[0], {
    line: 4,
    offset: notes.problems[0]?.offset,
    reason: 'not a JSON object',
  });
});

test('bytes that are not UTF-8 become replacement characters', async () => {
  const [before = '', behind = ''] = prompt('a', 'bad @ byte').split('@');
  writeFileSync(path, Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(`${behind}\n`)]));
  assert.deepEqual(await told(), ['bad \uFFFD byte|']);
});

test('lines of unknown types and shapes are skipped', async () => {
  const odd = [
    { type: 'new-thing', uuid: 'x' },
    { type: 'user', uuid: 'y' },
    { type: 'user', uuid: 'z', message: { content: 7 } },
  ];
  const wrong = {
    type: 'assistant',
    uuid: 'w',
    message: { content: [null, 3, { type: 'text' }, { type: 'tool_use' }] },
  };
  const lines = [...odd, wrong].map((line) => JSON.stringify(line));
  writeFileSync(path, [prompt('a', 'one'), ...lines, answer('b', 'two'), ''].join('\n'));
  assert.deepEqual(await told(), ['one|two']);
});

test('a file cut or replaced since the last read is read from its beginning', async () => {
  writeFileSync(path, `${prompt('a', 'one')}\n${answer('b', 'two')}\n`);
  for (const offset of [statSync(path).size + 1, 10]) {
    const notes = emptyNotes();
    assert.deepEqual(await told({ offset, notes }), ['one|two']);
    assert.equal(notes.restarted, true);
  }
  const notes = emptyNotes();
  assert.deepEqual(await told({ offset: statSync(path).size, notes }), []);
  assert.equal(notes.restarted, false);
});

test('an aborted read stops', async () => {
  writeFileSync(path, `${prompt('a', 'one')}\n`);
  await assert.rejects(turns({ signal: AbortSignal.abort() }), { name: 'AbortError' });
});

test('a file of 200 MB with a line of 50 MB is read in bounded memory', async () => {
  const bulk = `${JSON.stringify({ type: 'api-request', body: 'x'.repeat(60_000) })}\n`;
  const block = Buffer.from(bulk.repeat(160));
  const file = openSync(path, 'w');
  const holeStart = writeSync(
    file,
    `${prompt('a', 'one')}\n{"type":"user","uuid":"h","message":{"content":"`,
  );
  const holeEnd = holeStart + 50 * 1024 * 1024;
  ftruncateSync(file, holeEnd); // a hole: no disk is used for it
  let at = holeEnd + writeSync(file, `"}}\n${answer('b', 'two')}\n`, holeEnd);
  while (at < 200 * 1024 * 1024) at += writeSync(file, block, 0, block.length, at);
  writeSync(file, `${prompt('c', 'three')}\n${answer('d', 'four')}\n`, at);
  closeSync(file);

  const notes = emptyNotes();
  const before = process.memoryUsage.rss();
  const started = performance.now();
  assert.deepEqual(await told({ notes }), ['one|two', 'three|four']);
  const grown = Math.round((process.memoryUsage.rss() - before) / 1024 / 1024);
  console.log(
    `200 MB read in ${Math.round(performance.now() - started)} ms, resident memory grew by ${grown} MB`,
  );
  assert.equal(notes.oversized, 1);
  assert.match(notes.problems[0]?.reason ?? '', /skipped/);
});
