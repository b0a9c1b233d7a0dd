import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redact } from './redact.ts';
import { toSpooledEvent } from './spooled-event.ts';

/** Two folders whose names look like a secret only together, as the client writes them. */
const FOLDERS = ['YCaj9Qe2Rb71xKpV0m', 'Tz5Wd8Hn4Lc6Yf3Ug1Sky'];
const PATH = `/home/ada/.claude/projects/-home-ada-${FOLDERS.join('-')}/s.jsonl`;

function pathIn(isFile?: () => boolean): string | undefined {
  const stdin = JSON.stringify({ session_id: 's', transcript_path: PATH });
  const parse = toSpooledEvent(stdin, 'Stop', { attempt: 'a', ...(isFile && { isFile }) }, new Date());
  return parse.ok ? parse.event.input.transcript_path : undefined;
}

test('the path of a transcript that exists stays as it is, also if it looks like a secret', () => {
  assert.notEqual(redact(PATH).text, PATH, 'looks like a secret');
  assert.equal(
    pathIn(() => true),
    PATH,
  );
});

test('a path that looks like a secret and leads to no file is redacted', () => {
  assert.match(pathIn(() => false) ?? '', /\[redacted:/);
  assert.match(pathIn() ?? '', /\[redacted:/);
});
