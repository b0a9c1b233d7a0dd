/** `tidemark undo`: what the last turn of a session stored is gone, and can be restored for a day. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Machine } from '../support/machine.ts';
import { SyntheticTranscript, uuid } from '../support/synthetic-transcript.ts';

interface Undone {
  readonly forgotten: readonly { readonly id: string; readonly title: string }[];
  readonly restored: readonly { readonly title: string }[];
}

const RULES = ['From now on we never use floats for money.', 'From now on we always indent with tabs here.'];

async function played(machine: Machine): Promise<string> {
  const session = uuid('undo');
  const transcript = new SyntheticTranscript({ config: machine.config, cwd: machine.project, session });
  await machine.up();
  const event = { session_id: session, transcript_path: transcript.path };
  await machine.deliver('SessionStart', { ...event, source: 'startup' });
  for (const prompt of [...RULES, 'Thanks, that is all.'])
    transcript.append({ prompt, answer: 'All right.' });
  transcript.finish();
  await machine.deliver('Stop', { ...event, last_assistant_message: 'All right.' });
  return session;
}

test('undo takes back the last turn of the session that stored something', async (t) => {
  const machine = Machine.open(t);
  const session = await played(machine);
  const undo = async (...args: readonly string[]) => machine.cli(['undo', ...args]);
  const first = await undo('--session', session.slice(0, 8), '--json');
  assert.equal(first.code, 0, first.stderr);
  const { forgotten } = JSON.parse(first.stdout) as Undone;
  assert.deepEqual([forgotten.length, /tabs/i.test(forgotten[0]?.title ?? '')], [1, true]);
  const find = async (word: string): Promise<number> => {
    const memories = await machine.call('read.memories', { dir: machine.project, limit: 50 });
    return memories.filter(({ title }) => title.includes(word)).length;
  };
  assert.equal(await find('tabs'), 0);
  assert.equal(await find('floats'), 1);

  const restored = await machine.cli(['forget', '--undo', forgotten[0]?.id ?? '']);
  assert.equal(restored.code, 0, restored.stderr);
  assert.equal(await find('tabs'), 1);

  const inside = await machine.cli(['undo'], { env: { CLAUDE_CODE_SESSION_ID: session } });
  assert.match(inside.stdout, /^Forgotten:\n.*tabs/i);
  assert.match(inside.stderr, /tidemark forget --undo <id>/);
  assert.match((await undo()).stdout, /floats/, 'the last session of the folder is the default');
  const none = await undo();
  assert.equal(none.code, 3);
  assert.match(none.stderr, /nothing was remembered in this session that can be undone/);
});

test('undo has help, and another session is not touched', async (t) => {
  const machine = Machine.open(t);
  await played(machine);
  const help = await machine.cli(['undo', '--help']);
  assert.match(help.stdout, /undo \[--session <id>\]/);
  const other = await machine.cli(['undo'], { env: { CLAUDE_CODE_SESSION_ID: uuid('another session') } });
  assert.equal(other.code, 3, other.stdout);
});
