/** A session is captured from its transcript, however the client named the folder of the file. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { redact } from '../../src/privacy/index.ts';
import { Machine } from '../support/machine.ts';
import { memoriesOf } from '../support/stored.ts';
import { SyntheticTranscript, uuid } from '../support/synthetic-transcript.ts';

test('a transcript whose path looks like a secret is read', async (t) => {
  const machine = Machine.open(t);
  // The names look like a secret only together, as the client writes them into the path of the transcript.
  const cwd = join(machine.root, 'YCaj9Qe2Rb71xKpV0m', 'Tz5Wd8Hn4Lc6Yf3Ug1Sky');
  mkdirSync(cwd, { recursive: true });
  const transcript = new SyntheticTranscript({ config: machine.config, cwd, session: uuid('path') });
  assert.notEqual(redact(transcript.path).text, transcript.path, 'looks like a secret');
  transcript.append({ prompt: 'We decided to use pg-boss for the queue.', answer: 'Noted: pg-boss.' });
  transcript.finish();
  await machine.up();
  const fields = { session_id: transcript.session, transcript_path: transcript.path };
  await machine.hook('UserPromptSubmit', { ...fields, prompt: 'Another prompt.' }, { project: cwd });
  await machine.hook('Stop', { ...fields, last_assistant_message: 'Noted: pg-boss.' }, { project: cwd });
  await machine.hook('SessionEnd', { ...fields, reason: 'other' }, { project: cwd });
  await machine.drained();
  const memories = await memoriesOf(machine);
  assert.deepEqual(
    memories.map(({ provenance }) => provenance.turn),
    [transcript.turnId(0)],
    machine.logs(),
  );
});
