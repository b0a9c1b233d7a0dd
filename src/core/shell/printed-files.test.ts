import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printedFiles } from './printed-files.ts';

const CWD = '/engine';
const inEngine = (script: string) => printedFiles(script, CWD).map((path) => path.replace('/engine/', ''));

for (const [script, files] of [
  ['cat src/a.ts', ['src/a.ts']],
  ['cat ./src/a.ts src/b.ts', ['src/a.ts', 'src/b.ts']],
  ["sed -n '1,40p' src/a.ts", ['1,40p', 'src/a.ts']],
  ['head -n 20 src/a.ts | tail -5', ['20', 'src/a.ts']],
  ['grep -n "rotate" src/a.ts', ['rotate', 'src/a.ts']],
  ['rg -n rotate src/a.ts | head', ['rotate', 'src/a.ts']],
  ['bat --plain src/a.ts', ['src/a.ts']],
  ['nl -ba src/a.ts', ['src/a.ts']],
  ['less < src/a.ts', ['src/a.ts']],
  ['ls && cat "src/a b.ts" 2>/dev/null', ['src/a b.ts']],
  ['/usr/bin/cat src/a.ts', ['src/a.ts']],
  ['npm test; cat src/a.ts || true', ['src/a.ts']],
  ['cd src && cat a.ts', ['a.ts', 'src/a.ts']],
] as const)
  test(`${script} prints a file`, () => assert.deepEqual(inEngine(script), files));

for (const script of [
  'npm test',
  'git add src/a.ts',
  'rm src/a.ts',
  'cat src/a.ts > src/b.ts',
  'cat > src/a.ts <<EOF\ncat src/b.ts\nEOF',
  'cat src/a.ts | wc -l',
  'sed -i s/a/b/ src/a.ts',
  'sed -n -i.bak 1p src/a.ts',
  'echo "cat src/a.ts"',
  '# cat src/a.ts',
  'cat "$FILE"',
  'cat src/*.ts',
  'python cat.py src/a.ts',
  'wc -l src/a.ts',
])
  test(`${script} prints no known file`, () => assert.deepEqual(printedFiles(script, CWD), []));

test('a script that prints many files is about none of them', () => {
  const script = Array.from({ length: 6 }, (_, i) => `cat src/${i}.ts`).join('; ');
  assert.deepEqual(printedFiles(script, CWD), []);
});

test('at most ten paths are returned', () => {
  const script = `cd src; cat ${Array.from({ length: 500 }, (_, i) => `${i}.ts`).join(' ')}`;
  assert.equal(printedFiles(script, CWD).length, 10);
});

test('paths of another machine are not resolved on this one', () => {
  assert.deepEqual(printedFiles('cat src/a.ts', 'C:\\engine'), ['C:/engine/src/a.ts']);
  assert.deepEqual(printedFiles('cat C:/engine/a.ts', 'C:\\engine'), ['C:/engine/a.ts']);
  assert.deepEqual(printedFiles('cat ../b.ts', '/engine'), ['/b.ts']);
});
