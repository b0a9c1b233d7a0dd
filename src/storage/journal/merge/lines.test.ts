import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seeded, shuffled } from '../../../../test/support/nasty-memories.ts';
import { mergeTexts } from './lines.ts';

test('changes in different places are both applied', () => {
  assert.equal(mergeTexts('a\nb\nc\nd\n', 'a\nB\nc\nd\n', 'a\nb\nc\nd\ne\n'), 'a\nB\nc\nd\ne\n');
  assert.equal(mergeTexts('a\nb\nc\n', 'b\nc\n', 'a\nb\nc2\n'), 'b\nc2\n');
});

test('changes in the same place are both kept, theirs first', () => {
  assert.equal(mergeTexts('a\n', 'a\nours\n', 'a\ntheirs\n'), 'a\ntheirs\nours\n');
  assert.equal(mergeTexts('a\n', 'a\nours\n', 'a\ntheirs'), 'a\ntheirs\nours\n');
  assert.equal(mergeTexts('a\nb\n', 'a\nx\n', 'a\ny\n'), 'a\ny\nx\n');
  assert.equal(mergeTexts('a\nb\n', 'a\nx\n', 'a\nx\n'), 'a\nx\n');
});

test('no added line and no unchanged line is lost', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = seeded(seed);
    const base = Array.from({ length: 12 }, (_, n) => `base ${n}`);
    const edit = (name: string): string[] => {
      const lines = base.filter(() => random() > 0.15);
      for (let n = 0; n < 4; n++) lines.splice(Math.floor(random() * (lines.length + 1)), 0, `${name} ${n}`);
      return lines;
    };
    const ours = edit('ours');
    const theirs = edit('theirs');
    const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
    const merged = mergeTexts(text(base), text(ours), text(theirs)).trimEnd().split('\n');
    const must = [...ours, ...theirs].filter(
      (line) => !line.startsWith('base') || (ours.includes(line) && theirs.includes(line)),
    );
    for (const line of must) assert.ok(merged.includes(line), `seed ${seed} lost ${line}`);
    const alone = mergeTexts(text(base), text(base), text(theirs));
    assert.equal(alone, text(theirs));
    assert.equal(mergeTexts(text(base), text(ours), text(base)), text(ours));
    assert.equal(mergeTexts(text(base), text(ours), text(ours)), text(ours));
  }
});

test('a long text with many changes is merged line by line', () => {
  const base = Array.from({ length: 3000 }, (_, n) => (n % 3 === 0 ? '\n' : `base ${n}\n`));
  const ours = base.flatMap((line, n) => (n % 5 === 0 ? [line, `ours ${n}\n`, '\n'] : [line]));
  const theirs = base.toSpliced(1502, 1, 'theirs\n');
  const merged = mergeTexts(base.join(''), ours.join(''), theirs.join(''));
  const wanted = ours.join('').replace('base 1502\n', 'theirs\n');
  assert.equal(merged, wanted);
});

test('texts with almost nothing in common are merged too', () => {
  const random = seeded(7);
  const many = (name: string) =>
    shuffled(
      random,
      Array.from({ length: 3000 }, (_, n) => `${name} ${n}\n`),
    ).join('');
  const [ours, theirs] = [many('o'), many('t')];
  assert.equal(mergeTexts('x\n', ours, theirs), theirs + ours);
});
