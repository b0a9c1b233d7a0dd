/** `tidemark undo`: what the last turn of a session stored is gone, and can be restored for a day. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Machine } from '../support/machine.ts';
import { memoriesOf, titled } from '../support/stored.ts';
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
  const undo = async (...args: readonly string[]) => machine.ask('undo', ...args);
  const first = await undo('--session', session.slice(0, 8), '--json');
  assert.equal(first.code, 0, first.stderr);
  const { forgotten } = JSON.parse(first.stdout) as Undone;
  assert.deepEqual([forgotten.length, /tabs/i.test(forgotten[0]?.title ?? '')], [1, true]);
  const find = async (word: string): Promise<number> => {
    return (await titled(machine, word)).length;
  };
  assert.equal(await find('tabs'), 0);
  assert.equal(await find('floats'), 1);

  const restored = await machine.cli(['forget', '--undo', forgotten[0]?.id ?? '']);
  assert.equal(restored.code, 0, restored.stderr);
  assert.equal(await find('tabs'), 1);

  const inside = await machine.cli(['undo'], { env: { CLAUDE_CODE_SESSION_ID: session } });
  assert.match(inside.stdout, /^Forgotten:\n.*tabs/i);
  assert.match(inside.stderr, /Restore until then: tidemark forget --undo \w{7}$/m);
  assert.match((await undo()).stdout, /floats/, 'the last session of the folder is the default');
  const none = await undo();
  assert.equal(none.code, 3);
  assert.match(none.stderr, /nothing was remembered in this session that can be undone/);
});

test('undo has help, and another session is not touched', async (t) => {
  const machine = Machine.open(t);
  await played(machine);
  const help = await machine.ask('undo', '--help');
  assert.match(help.stdout, /undo \[--session <id>\] \[--yes\]/);
  const other = await machine.cli(['undo'], { env: { CLAUDE_CODE_SESSION_ID: uuid('another session') } });
  assert.equal(other.code, 3, other.stdout);
});

test('undo right after a forget restores that memory, and forgets no other', async (t) => {
  const machine = Machine.open(t);
  await played(machine);
  await machine.drained();
  const titles = async (): Promise<readonly string[]> =>
    (await memoriesOf(machine)).map(({ title }) => title);
  const before = await titles();
  const [one] = await memoriesOf(machine);
  const forgot = await machine.ask('forget', one?.id ?? '');
  assert.match(forgot.stderr, /Undo until then: tidemark forget --undo \w{7}$/m);
  const undone = await machine.ask('undo');
  assert.match(undone.stdout, /^Restored what you forgot last:\n/);
  assert.deepEqual((await titles()).toSorted(), before.toSorted());

  const added = await machine.ask('remember', 'Mail goes out at noon');
  assert.equal(added.code, 0, added.stderr);
  assert.match((await machine.ask('undo')).stdout, /^Forgotten:\n.*Mail goes out at noon/);
  assert.deepEqual((await titles()).toSorted(), before.toSorted());
});

test('forget names the memories that the forgotten one had replaced, and the command to make them current', async (t) => {
  const machine = Machine.open(t);
  const add = async (text: string): Promise<string> =>
    (await machine.ask('remember', text)).stdout.split(/\s/)[0] ?? '';
  const [old, by] = [await add('Mail goes out at noon'), await add('Use pg-boss for the job queue')];
  await machine.ask('supersede', old, by);
  const forgot = await machine.ask('forget', by);
  assert.match(forgot.stderr, /still marked as superseded:\n.*Mail goes out at noon/);
  assert.ok(forgot.stderr.includes(`tidemark reopen ${old}\n`), forgot.stderr);
  assert.equal((await machine.ask('reopen', old)).code, 0);
});
