import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pipelinesOf } from './pipelines.ts';

/** The words of each command, pipelines as lists. */
const wordsOf = (script: string) => pipelinesOf(script).map((pipeline) => pipeline.map(({ words }) => words));

test('operators and newlines end a pipeline, pipes separate its commands', () => {
  assert.deepEqual(wordsOf('a 1 && b | c 2 ; d || e & f\ng |& h'), [
    [['a', '1']],
    [['b'], ['c', '2']],
    [['d']],
    [['e']],
    [['f']],
    [['g'], ['h']],
  ]);
});

test('quotes and backslashes keep a word together', () => {
  assert.deepEqual(wordsOf(`cat 'a b.ts' "c \\"d\\".ts" e\\ f.ts '' x"y"'z'`), [
    [['cat', 'a b.ts', 'c "d".ts', 'e f.ts', '', 'xyz']],
  ]);
  assert.deepEqual(wordsOf('cat \\\n  a.ts'), [[['cat', 'a.ts']]]);
  assert.deepEqual(wordsOf("echo 'never closed"), [[['echo', 'never closed']]]);
});

test('comments are skipped, a # inside a word is not one', () => {
  assert.deepEqual(wordsOf('cat a.ts # prisma migrate reset\nls a#b'), [[['cat', 'a.ts']], [['ls', 'a#b']]]);
});

test('here-documents are skipped up to their end', () => {
  const script =
    "cat > a.sh <<'EOF' && ls\nprisma migrate reset\nEOF\nprisma --version <<-END\n\trm -rf /\n\tEND\npwd";
  assert.deepEqual(wordsOf(script), [[['cat']], [['ls']], [['prisma', '--version']], [['pwd']]]);
  assert.deepEqual(wordsOf('cat <<EOF\nrm -rf data'), [[['cat']]]);
});

test('redirections are no words; only standard output and input are reported', () => {
  const [[command] = []] = pipelinesOf('sort -u < in.txt > out.txt 2> err.txt 2>&1 <<< text');
  assert.deepEqual(command, { words: ['sort', '-u'], writes: ['out.txt'], reads: ['in.txt'] });
  assert.deepEqual(pipelinesOf('ls &> all.txt')[0]?.[0]?.writes, ['all.txt']);
  assert.deepEqual(pipelinesOf('ls >&2')[0]?.[0]?.writes, []);
  assert.deepEqual(pipelinesOf('ls 1>> all.txt')[0]?.[0]?.writes, ['all.txt']);
});

test('substitutions stay as written', () => {
  assert.deepEqual(wordsOf('echo $(cat a.ts; rm b) "$(cat (c))" $HOME'), [
    [['echo', '$(cat a.ts; rm b)', '$(cat (c))', '$HOME']],
  ]);
});

test('a script of any bytes is read in one pass', () => {
  for (const piece of ['$(', '"', "'", '<<', '\\', '|', '<<E\n', '>', '#', '(', '&>']) {
    assert.ok(Array.isArray(pipelinesOf(piece)));
    assert.ok(Array.isArray(pipelinesOf(piece.repeat(20_000))));
  }
});
