import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LONG, SRC, only } from '../../../test/support/local-drafts.ts';
import { bash, edit } from '../../../test/support/sample-turn.ts';

describe('a title', () => {
  const found = async (said: string) =>
    (await only({ prompt: 'why does it fail?', answer: `${LONG}\n\n${said}`, tools: [bash('cat a.ts')] }))
      .title;
  const did = async (answer: string) =>
    (await only({ prompt: 'go on', answer, tools: [edit(`${SRC}/a.ts`)] })).title;

  it('states the thing itself where the sentence only points at it', async () => {
    assert.equal(
      await found('The real issue is that `poolSize` is read before the config is loaded.'),
      '`poolSize` is read before the config is loaded',
    );
    assert.equal(
      await found(
        'All three crashes lead to one place: `Pool.take()` waits for a lock that is never released, not even when the pool is closed.',
      ),
      '`Pool.take()` waits for a lock that is never released, not even when the pool is closed',
    );
  });

  it('never begins or ends within inline code', async () => {
    assert.equal(
      await found(
        "The problem is that `color: none` isn't known to the older theme, so it falls back to black.",
      ),
      "`color: none` isn't known to the older theme, so it falls back to black",
    );
    const names = Array.from({ length: 12 }, (_, i) => `\`field_number_${i}\``).join(' ');
    const title = await did(`I added ${names} to the form`);
    assert.equal(title.split('`').length % 2, 1, title);
  });

  it('has no opening cheer and no emoji', async () => {
    assert.equal(
      await found(
        'Got it at last! 🔎 The `Glyphs` table is not loaded in the preview, but it is in the editor.',
      ),
      'The `Glyphs` table is not loaded in the preview, but it is in the editor',
    );
    assert.equal(
      await did('🎉 Moved the `Ledger` reader into a package of its own ✅'),
      'Moved the `Ledger` reader into a package of its own',
    );
  });

  it('leaves out asides before anything else', async () => {
    assert.equal(
      await found(
        'Tags of more than eight letters (`watercolour`, `lithograph` and most of those in German) are never found because the `Ledger` cuts them.',
      ),
      'Tags of more than eight letters are never found because the `Ledger` cuts them',
    );
  });

  it('is not cut within an enumeration or after half a condition', async () => {
    assert.equal(
      await did(
        'I added a `Legend` panel with colours for roads, footpaths, rivers, borders of parks, and the heights of each hill',
      ),
      'Added a `Legend` panel with colours for roads, footpaths, rivers, borders of parks, and the heights of each hill',
    );
    assert.equal(
      await found(
        'If the map is turned while its tiles are still on their way from the cache, `angle` is wrong because nobody resets the compass.',
      ),
      'If the map is turned while its tiles are still on their way from the cache, `angle` is wrong because nobody resets the compass',
    );
  });

  it('does not promise a list that stands elsewhere', async () => {
    assert.equal(
      await did(
        'Added the drawing helper `canvas/lines.ts` with:\n- `dashed()` - for borders\n- `curved()` - for rivers',
      ),
      'Added the drawing helper `canvas/lines.ts`',
    );
  });

  it('prefers a sentence that names something to one that does not', async () => {
    assert.equal(
      await did(
        'We made good progress on the importer.\n\n- Fixed the key problems\n- Added `parseLedger()` to the reader of rows',
      ),
      'Added `parseLedger()` to the reader of rows',
    );
  });
});
