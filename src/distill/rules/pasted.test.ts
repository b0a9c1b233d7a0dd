import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutPasted } from './pasted.ts';

/** The words that are left, on one line. */
const own = (text: string): string => withoutPasted(text).replace(/\s+/g, ' ').trim();

test('what a shell printed after a command is not the user’s', () => {
  for (const shell of [
    '[01/28/26 8:41 main ~/src/app] app sync',
    'me@box:~/app$ app sync',
    'me@box app % app sync',
    'PS C:\\app> app sync',
    '$ app sync',
  ]) {
    const prompt = `this output is confusing\n\n${shell}\n\nUse \`app login\` to authenticate\n\nSyncing the files of the project\n\nwhy does it say that twice?`;
    assert.equal(own(prompt), 'this output is confusing why does it say that twice?', shell);
  }
});

test('lines of a log or a test run are not the user’s, also below their own words', () => {
  const prompt = `still red:\n=== RUN TestExport\nexport_test.go:23: umlauts are lost\n--- FAIL: TestExport (0.00s)\nFAIL\n\nkeep the old encoder for now`;
  assert.equal(own(prompt), 'still red: keep the old encoder for now');
  assert.equal(
    own('✅ 12 checks passed\n❌ 1 check failed\n\n2 warnings, see above\n\nfix it please'),
    'fix it please',
  );
});

test('what the user types stays: lists, plans, one line with a symbol, a question after a paste', () => {
  for (const prompt of [
    'we keep sqlite\n\n- no orm\n- migrations by hand\n\nand no docker in ci',
    '👍 go ahead\n\nuse the second option',
    'Plan:\n1. rename the table\n2. drop the view\n\nNever delete the old rows.',
    'the export fails with error: no such file\nalways create the folder first',
    'see src/app.ts:12 and fix it',
    'users/me complained, and a@b.example too',
  ])
    assert.equal(withoutPasted(prompt), prompt);
});

test('the last line is the user’s, unless a program printed it', () => {
  const log = 'WARN a\nERROR b\nERROR c';
  assert.equal(own(`${log}\n\nretry three times at most`), 'retry three times at most');
  assert.equal(own(`${log}\n\nERROR d`), '');
});

test('a review that the user introduces is not the user’s, until they speak again', () => {
  const review = 'The helper is never used. Consider removing it.\n\nIt duplicates the parser.';
  for (const lead of [
    'I got this feedback:',
    'can you take a look at:',
    'coderabbit says the following:',
    'two findings of the review I want fixed:',
  ])
    assert.equal(own(`${lead}\n${review}\n\nwhat do you think?`), `${lead} what do you think?`, lead);
  const asked =
    'I got this feedback:\n\nThe parser should close the file. You could use a guard.\n\nTests are missing.';
  assert.equal(own(asked), 'I got this feedback:');
  assert.equal(own('I got this:\n\nno such table\n\nnever log tokens'), 'I got this: never log tokens');
  for (const said of ['my comments:\n- never squash', 'some general feedback:\n\nKeep the names short.'])
    assert.equal(withoutPasted(said), said);
});

test('a prompt of megabytes ends', () => {
  const prompt = `${'a'.repeat(2_000_000)}\n${'[x/'.repeat(200_000)}\n${'1/1/'.repeat(200_000)}`;
  assert.equal(withoutPasted(prompt), prompt);
});
