import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { checkSmallModel, smallModelFolder } from './files.ts';

const MODEL = join(import.meta.dirname, '../../../plugin/model');
const NAMES = ['model.json', 'vocab.txt', 'words.bin', 'lower.onnx', 'vector.onnx', 'tasks.onnx'];

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'tidemark-small-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** Links the model into the folder, with a copy of one file to change. */
function linked(changed: string): string {
  for (const name of NAMES)
    if (name === changed) writeFileSync(join(folder, name), readFileSync(join(MODEL, name)));
    else symlinkSync(join(MODEL, name), join(folder, name));
  return join(folder, changed);
}

test('the model in plugin/model is the pinned one, every file of it', () => {
  const found = checkSmallModel(MODEL, { hashes: true });
  assert.equal(found.kind, 'complete', JSON.stringify(found));
  assert.ok(found.kind === 'complete' && found.bytes < 25_000_000 && found.version === 'small-5');
});

test('a missing model and a missing file are reported', () => {
  assert.deepEqual(checkSmallModel(folder), { kind: 'missing', why: 'small-5 is missing' });
  rmSync(linked('words.bin'));
  assert.deepEqual(checkSmallModel(folder), {
    kind: 'damaged',
    why: 'small-5 is damaged: words.bin is missing',
  });
});

test('a file that is cut off is seen by its size, a changed one by its hash', () => {
  const changed = linked('vector.onnx');
  const bytes = readFileSync(changed);
  writeFileSync(changed, bytes.fill(0, 1000, 1010));
  assert.equal(checkSmallModel(folder).kind, 'complete');
  const damaged = { kind: 'damaged', why: 'small-5 is damaged: vector.onnx' };
  assert.deepEqual(checkSmallModel(folder, { hashes: true }), damaged);
  truncateSync(changed, 1000);
  assert.deepEqual(checkSmallModel(folder), damaged);
});

test('files that cannot be read are reported, not thrown', () => {
  mkdirSync(join(folder, 'model.json'));
  const found = checkSmallModel(folder);
  assert.equal(found.kind, 'damaged');
  assert.match(found.kind === 'damaged' ? found.why : '', /^small-5 cannot be read: EISDIR/);
});

test('another list of files is not the pinned one', () => {
  writeFileSync(linked('model.json'), '{}');
  assert.deepEqual(checkSmallModel(folder), { kind: 'damaged', why: 'small-5 is damaged: model.json' });
});

test('the model is found beside the built programs and from the source', () => {
  mkdirSync(join(folder, 'plugin', 'model'), { recursive: true });
  const expected = join(folder, 'plugin', 'model');
  assert.equal(smallModelFolder(join(folder, 'plugin', 'dist', 'embedder.cjs')), expected);
  assert.equal(smallModelFolder(join(folder, 'src', 'models', 'main.ts')), expected);
});
