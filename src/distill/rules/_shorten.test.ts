import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shorten } from './_shorten.ts';

describe('a long statement is shortened', () => {
  for (const [how, said, short] of [
    [
      'not at all when it fits a line',
      'The pool (of eight) is closed twice: once by `stop()`, once at exit',
      'The pool (of eight) is closed twice: once by `stop()`, once at exit',
    ],
    [
      'by its asides',
      'The reader keeps both rows (the one of the journal and the one of the index) when `merge` is called twice',
      'The reader keeps both rows when `merge` is called twice',
    ],
    [
      'to what is announced by a head that names nothing',
      'The reason is simple and was there all along: `close()` waits for the lock that `open()` of the second reader holds',
      '`close()` waits for the lock that `open()` of the second reader holds',
    ],
    [
      'to the last clause that stands on its own',
      'Moved the reader of rows into `src/rows/reader.ts`; the callers now import it from the index of that folder only',
      'Moved the reader of rows into `src/rows/reader.ts`',
    ],
    [
      'not before the turn that makes its sense',
      'The header is written when the first row comes in and the file is opened for it, not when it is closed again',
      'The header is written when the first row comes in and the file is opened for it, not when it is closed again',
    ],
    [
      'not at a mark within a name',
      'Replaced the default `{ mode: "fast, unsafe", retries: 3, wait: 200 }` of the client by the one from the settings file',
      'Replaced the default `{ mode: "fast, unsafe", retries: 3, wait: 200 }` of the client by the one from the settings file',
    ],
  ] as const)
    it(how, () => assert.equal(shorten(said), short));

  it('with a sign that it goes on, outside of names, where nothing stands on its own', () => {
    const short = shorten(`Every \`${'long_name_'.repeat(6)}\` of \`${'another_name_'.repeat(9)}\` is lost`);
    assert.match(short, /…$/);
    assert.equal(short.split('`').length % 2, 1, short);
  });

  it('in linear time', () => {
    for (const text of [', and'.repeat(200_000), '(a) '.repeat(200_000), '`: '.repeat(300_000)])
      assert.ok(shorten(text).length <= 140);
  });
});
