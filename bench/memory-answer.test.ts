import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

const PROGRAM = join(import.meta.dirname, 'memory-answer.mjs');

test('the oldest request without a reply is shown with everything that an answer needs', (t) => {
  const folder = queue(t);
  const { stdout, status } = answer(folder);
  assert.equal(status, 0);
  assert.match(stdout, /^request bbb {2}\(d-01\/s1\)\n/);
  for (const part of ['the rules', '{"type":"object"}', 'or as XML', 'the turn of bbb', 'bbb.reply.txt'])
    assert.ok(stdout.includes(part), part);
  assert.doesNotMatch(answer(folder, '--prompt-only').stdout, /the rules/);
  assert.match(answer(folder, '--projects', 'e-02').stdout, /^request ccc /);
});

test('the list names the project of each request that waits', (t) => {
  const lines = answer(queue(t), '--list').stdout.trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => line.split(/\s+/)[0]),
    ['d-01/s1', 'e-02/s3', '2'],
  );
  assert.equal(lines.at(-1), '2 waiting, 1 answered');
});

test('a reply is stored beside its request, and only there', (t) => {
  const folder = queue(t);
  assert.equal(answer(folder, '--answer', 'bbb').status, 1, 'an empty reply is refused');
  assert.equal(spawn(folder, ['--answer', 'zzz'], '{}').status, 1, 'an unknown request is refused');
  assert.equal(spawn(folder, ['--answer', 'bbb'], '{"operations":[]}').status, 0);
  assert.equal(readFileSync(join(folder, 'bbb.reply.txt'), 'utf8'), '{"operations":[]}');
  assert.match(answer(folder).stdout, /^request ccc /);
});

test('without a waiting request the exit code says so', (t) => {
  const folder = queue(t);
  assert.equal(answer(folder, '--projects', 'f-09').status, 3);
});

/** `aaa` is answered, `bbb` waits longest. */
function queue(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'ma-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'sessions.json'), JSON.stringify({ one: 'd-01/s1', two: 'e-02/s3' }));
  for (const [i, [hash, session]] of [
    ['aaa', 'one'],
    ['bbb', 'one'],
    ['ccc', 'two'],
  ].entries()) {
    const file = join(folder, `${hash}.request.json`);
    const schema = { type: 'object' };
    const prompt = `the turn of ${hash}`;
    writeFileSync(
      file,
      JSON.stringify({ session, system: 'the rules', prompt, schema, asText: 'or as XML' }),
    );
    utimesSync(file, 1000 + i, 1000 + i);
  }
  writeFileSync(join(folder, 'aaa.reply.txt'), '{}');
  return folder;
}

function answer(folder: string, ...args: readonly string[]) {
  return spawn(folder, args, '');
}

function spawn(folder: string, args: readonly string[], input: string) {
  return spawnSync(process.execPath, [PROGRAM, '--queue', folder, ...args], { input, encoding: 'utf8' });
}
