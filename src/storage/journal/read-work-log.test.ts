import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Journal } from './journal.ts';
import { readWorkLog } from './read-work-log.ts';

const PROJECT = 'engine-abc123';
const at = (minute: number) => `2026-11-16T10:0${minute}:00.000Z`;

async function logged(t: TestContext): Promise<{ readonly root: string; readonly file: string }> {
  const root = mkdtempSync(join(tmpdir(), 'log-'));
  t.after(() => rmSync(root, { recursive: true }));
  const journal = new Journal(root);
  const lines = ['Asked: One.', 'Asked: Two.', 'Asked: Three.'];
  await journal.log(
    PROJECT,
    lines.map((text, i) => ({ turn: `t${i + 1}`, at: at(i), text })),
  );
  await journal.close();
  return { root, file: join(root, PROJECT, '2026-11-16.md') };
}

test('a line that the user changed or deleted is recognised', async (t) => {
  const { root, file } = await logged(t);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('Asked: Two.', 'A good idea.').replace(/^.*Three.*\n/m, ''));
  const log = readWorkLog(root, PROJECT, at(0));
  assert.deepEqual(['t1', 't2', 't3'].map(log.edited), [undefined, 'A good idea.', undefined]);
  assert.deepEqual(
    ['t1', 't2', 't3'].map((turn) => log.isDeleted(turn, at(1))),
    [false, false, true],
  );
});

test('on a day without a work log, nothing was deleted', async (t) => {
  const { root } = await logged(t);
  const log = readWorkLog(root, PROJECT, at(0));
  assert.equal(log.isDeleted('t9', '2026-11-17T10:00:00.000Z'), false);
  assert.equal(readWorkLog(root, 'none-abc123', at(0)).isDeleted('t1', at(0)), false);
});

test('a file that cannot be read counts as none', async (t) => {
  const { root } = await logged(t);
  mkdirSync(join(root, PROJECT, '2026-11-17.md'));
  assert.equal(readWorkLog(root, PROJECT, at(0)).isDeleted('t1', at(0)), false);
});
