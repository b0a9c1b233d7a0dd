import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { collect } from '../../../../test/support/collect-turns.ts';
import { emptyNotes, type TurnRead } from '../../transcript.ts';

const folder = mkdtempSync(join(tmpdir(), 'tidemark-assemble-'));
after(() => rmSync(folder, { recursive: true, force: true }));

type Fields = Readonly<Record<string, unknown>>;
let counter = 0;
const line = (fields: Fields): Fields => ({
  uuid: `u${counter++}`,
  timestamp: '2026-11-15T10:00:00.000Z',
  ...fields,
});
const user = (content: unknown, fields: Fields = {}): Fields =>
  line({ type: 'user', message: { role: 'user', content }, ...fields });
const says = (text: string, fields: Fields = {}): Fields =>
  answers([{ type: 'text', text }], 'end_turn', fields);
const calls = (id: string, name: string, input: Fields): Fields =>
  answers([{ type: 'tool_use', id, name, input }], 'tool_use');
const answers = (content: unknown, stop: string | null, fields: Fields = {}): Fields =>
  line({
    type: 'assistant',
    message: { id: `m${counter}`, model: 'claude', content, stop_reason: stop },
    ...fields,
  });
const result = (id: string, content: unknown, fields: Fields = {}, error = false): Fields =>
  user([{ type: 'tool_result', tool_use_id: id, content, is_error: error }], fields);
const ended = { type: 'system', subtype: 'turn_duration' };
const stopHooks = { type: 'system', subtype: 'stop_hook_summary' };
const cutOff = user([{ type: 'text', text: '[Request interrupted by user]' }]);

async function read(lines: readonly Fields[], notes = emptyNotes()): Promise<TurnRead[]> {
  const path = join(folder, 'session.jsonl');
  writeFileSync(path, lines.map((fields) => `${JSON.stringify(fields)}\n`).join(''));
  return collect(path, { notes });
}
async function told(...lines: readonly Fields[]): Promise<string[]> {
  return (await read(lines)).map(
    ({ turn }) => `${turn.origin} ${turn.outcome}: ${turn.prompt} → ${turn.answer}`,
  );
}

test('the report is what the agent says after its last tool call', async () => {
  const report = async (...lines: readonly Fields[]) => {
    const [first] = await read([user('why is it slow?'), ...lines, ended]);
    return first?.turn.answer.slice(-(first.turn.report ?? 0));
  };
  const look = [says('Maybe the cache.'), calls('c1', 'Read', { file_path: '/a' }), result('c1', 'x')];
  assert.equal(await report(...look, says('The index is missing.')), 'The index is missing.');
  const [silent] = await read([user('go'), ...look, ended]);
  assert.equal(silent?.turn.report, undefined);
  const [talk] = await read([user('hi'), says('hello'), ended]);
  assert.equal(talk?.turn.report, undefined);
});

test('an answer written before its prompt is part of that turn, also when read again', async () => {
  const later = { timestamp: '2026-11-15T10:00:01.000Z' };
  const lines = [{ type: 'mode' }, says('hello', later), user('hi'), stopHooks, user('bye'), says('see you')];
  const first = await read(lines);
  const expected = [
    { prompt: 'hi', answer: 'hello', outcome: 'answered' },
    { prompt: 'bye', answer: 'see you', outcome: 'answered' },
  ];
  const facts = (turns: readonly TurnRead[]) =>
    turns.map(({ turn: { prompt, answer, outcome } }) => ({ prompt, answer, outcome }));
  assert.deepEqual(facts(first), expected);
  const again = await collect(join(folder, 'session.jsonl'), { offset: first[0]?.start ?? 0 });
  assert.deepEqual(facts(again), expected);
});

test('an answer without its prompt in the file is part of no turn', async () => {
  const notes = emptyNotes();
  const [turn] = await read([says('hello'), user('hi', { timestamp: '2026-11-15T11:00:00.000Z' })], notes);
  assert.deepEqual([turn?.turn.prompt, turn?.turn.answer, notes.stray], ['hi', '', 1]);
});

describe('the prompt of a turn', () => {
  test('images are named, and what the editor or the client put in is left out', async () => {
    const content = [
      { type: 'text', text: '<ide_opened_file>The user opened x.ts</ide_opened_file>' },
      { type: 'image', source: { type: 'base64', data: 'AAAA' } },
      { type: 'text', text: 'what is this?<system-reminder>be brief</system-reminder>' },
    ];
    assert.deepEqual(await told(user(content), says('a robot')), [
      'person answered: [image]\n\nwhat is this? → a robot',
    ]);
  });

  test('one prompt written as several lines is one prompt', async () => {
    const first = user([{ type: 'image' }], { uuid: 'p1' });
    const second = user([{ type: 'text', text: 'what is this?' }], { parentUuid: 'p1' });
    assert.deepEqual(await told(first, second, says('a robot')), [
      'person answered: [image]\n\nwhat is this? → a robot',
    ]);
  });

  test('what was typed while the agent ran belongs to the running turn', async () => {
    const queued = (prompt: string, commandMode: string): Fields =>
      line({ type: 'attachment', attachment: { type: 'queued_command', prompt, commandMode } });
    const lines = [
      user('build it'),
      calls('t1', 'Bash', { command: 'make' }),
      result('t1', 'ok'),
      { type: 'queue-operation', operation: 'enqueue', content: 'and test it' },
      queued('and test it', 'prompt'),
      queued('<task-notification>done</task-notification>', 'task-notification'),
      says('built and tested'),
    ];
    assert.deepEqual(await told(...lines), ['person answered: build it\n\nand test it → built and tested']);
  });

  test('what was said on denying a tool is the person’s word', async () => {
    const denial = `The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nuse pnpm`;
    const lines = [
      user('install'),
      calls('t1', 'Bash', { command: 'npm i' }),
      result('t1', denial, {}, true),
      says('done'),
    ];
    const [turn] = await read(lines);
    assert.equal(turn?.turn.prompt, 'install\n\nuse pnpm');
    assert.equal(turn?.turn.tools[0]?.status, 'denied');
    assert.equal(turn?.turn.outcome, 'answered');
  });

  test('a meta line, a tool’s own line and a skill the agent called are nobody’s prompt', async () => {
    const lines = [
      user('look'),
      calls('t1', 'Skill', { skill: 'pdf' }),
      result('t1', 'Launching skill'),
      user('<command-message>The "pdf" skill is loading</command-message>\n<command-name>pdf</command-name>'),
      user([{ type: 'text', text: 'Base directory for this skill' }], { sourceToolUseID: 't1' }),
      user('[Image: source: a.png]', { isMeta: true }),
      says('read'),
    ];
    assert.deepEqual(await told(...lines), ['person answered: look → read']);
  });
});

describe('commands', () => {
  const command = (name: string, args = ''): Fields =>
    user(
      `<command-name>${name}</command-name>\n<command-message>x</command-message>\n<command-args>${args}</command-args>`,
    );
  const caveat = user('<local-command-caveat>Caveat</local-command-caveat>', { isMeta: true });

  test('a local command makes no turn and ends none', async () => {
    const output = user('<local-command-stdout>Set model to x</local-command-stdout>');
    const lines = [
      user('go'),
      calls('t1', 'Read', {}),
      caveat,
      command('/model'),
      output,
      result('t1', 'x'),
      says('gone'),
    ];
    assert.deepEqual(await told(...lines), ['person answered: go → gone']);
  });

  test('a command that expands is a turn', async () => {
    const lines = [
      user('go'),
      says('gone'),
      command('/review', 'src'),
      user('Review the files in src', { isMeta: true }),
      says('fine'),
    ];
    assert.deepEqual(await told(...lines), [
      'person answered: go → gone',
      'person answered: /review src → fine',
    ]);
  });

  test('a command nothing came of yet is not reported', async () => {
    assert.deepEqual(await told(user('go'), says('gone'), ended, command('/review')), [
      'person answered: go → gone',
    ]);
  });

  test('`!cmd` of a client that does not answer it is a turn with a tool call', async () => {
    const shell = user('<bash-input>make</bash-input>');
    const output = user('<bash-stdout>cc</bash-stdout><bash-stderr>warning</bash-stderr>');
    const [turn, next] = await read([caveat, shell, output, user('thanks'), says('welcome')]);
    assert.deepEqual([turn?.turn.prompt, turn?.turn.outcome, turn?.turn.answer], ['!make', 'answered', '']);
    assert.deepEqual(
      turn?.turn.tools.map(({ name, command: ran, status, output: seen }) => [name, ran, status, seen]),
      [['Bash', 'make', 'unknown', 'cc\nwarning']],
    );
    assert.equal(next?.turn.prompt, 'thanks');
  });
});

describe('how a turn ended', () => {
  test('an API error that was retried with success leaves no trace, one that was not is the answer', async () => {
    const error = answers([{ type: 'text', text: 'API Error: 529' }], 'stop_sequence', {
      isApiErrorMessage: true,
    });
    assert.deepEqual(await told(user('go'), error, says('gone')), ['person answered: go → gone']);
    assert.deepEqual(await told(user('go'), error, user('again'), says('gone')), [
      'person failed: go → API Error: 529',
      'person answered: again → gone',
    ]);
  });

  test('a turn cut off in the middle of its work is interrupted once another prompt follows', async () => {
    const lines = [user('go'), calls('t1', 'Bash', { command: 'sleep 9' }), user('hello?'), says('yes')];
    assert.deepEqual(await told(...lines), ['person interrupted: go → ', 'person answered: hello? → yes']);
    assert.deepEqual(await told(...lines.slice(0, 2)), ['person open: go → ']);
  });

  test('nothing but end_turn is not complete, a stop sign after it is', async () => {
    const complete = async (...lines: Fields[]): Promise<boolean | undefined> =>
      (await read(lines))[0]?.complete;
    const costs = { type: 'cost-state' };
    assert.equal(await complete(user('go'), says('gone')), false);
    assert.equal(await complete(user('go'), says('gone'), costs), true);
    assert.equal(await complete(user('go'), says('gone'), stopHooks), true);
    assert.equal(await complete(user('go'), calls('t1', 'Read', {}), costs), false);
    assert.equal(await complete(user('go'), cutOff), true);
    const lastPrompt = { type: 'last-prompt', lastPrompt: 'go' };
    assert.equal(await complete(user('go', { version: '2.1.197' }), says('gone'), lastPrompt), true);
    assert.equal(await complete(user('go', { version: '2.1.325' }), says('gone'), lastPrompt), false);
  });

  test('a hook that sends the agent on before it stopped keeps the turn, afterwards it makes a task', async () => {
    const feedback = user('Stop hook feedback:\ntests fail', { isMeta: true });
    assert.deepEqual(await told(user('go'), says('gone'), feedback, says('fixed')), [
      'person answered: go → gone\n\nfixed',
    ]);
    assert.deepEqual(await told(user('go'), says('gone'), stopHooks, feedback, says('fixed')), [
      'person answered: go → gone',
      'task answered: Stop hook feedback:\ntests fail → fixed',
    ]);
  });

  test('resuming a session that was cut off adds nothing', async () => {
    const go = user('Continue from where you left off.', { isMeta: true });
    const none = answers([{ type: 'text', text: 'No response requested.' }], 'stop_sequence');
    const synthetic = { ...none, message: { ...(none['message'] as Fields), model: '<synthetic>' } };
    assert.deepEqual(await told(user('go'), cutOff, go, synthetic, user('on'), says('gone')), [
      'person interrupted: go → ',
      'person answered: on → gone',
    ]);
  });
});

describe('lines that are not this conversation', () => {
  test('a subagent’s lines among the session’s are left out, as old versions wrote them', async () => {
    const side = { isSidechain: true };
    const lines = [
      user('go'),
      calls('t1', 'Task', {}),
      user('sub prompt', side),
      says('sub answer', side),
      result('t1', 'x'),
      says('gone'),
    ];
    assert.deepEqual(await told(...lines), ['person answered: go → gone']);
  });

  test('a subagent’s file is read as such', async () => {
    const side = { isSidechain: true, agentId: 'a1' };
    assert.deepEqual(await told(user('sub prompt', side), says('sub answer', side)), [
      'subagent answered: sub prompt → sub answer',
    ]);
  });

  test('an answer is given to the prompt it answers when two clients write to one session', async () => {
    const lines = [
      user('first', { uuid: 'a' }),
      calls('t1', 'Read', {}),
      { ...result('t1', 'x'), uuid: 'r' },
      user('second', { uuid: 'b' }),
      cutOff,
      says('done', { parentUuid: 'r' }),
    ];
    assert.deepEqual(await told(...lines), [
      'person answered: first → done',
      'person interrupted: second → ',
    ]);
  });

  test('a history written again under new uuids is counted, not given twice', async () => {
    const notes = emptyNotes();
    const message = { id: 'same', model: 'claude', content: [{ type: 'text', text: 'gone' }] };
    const said = (): Fields => line({ type: 'assistant', message });
    const reads = await read([user('go'), said(), user('go'), said(), user('go'), says('gone again')], notes);
    assert.deepEqual([reads.length, notes.repeated], [2, 1]);
  });

  test('the same line twice counts once', async () => {
    const prompt = user('go');
    const said = says('gone');
    const [turn, ...more] = await read([prompt, prompt, said, said]);
    assert.deepEqual([turn?.turn.answer, turn?.turn.messages.length, more.length], ['gone', 2, 0]);
  });

  test('an answer without a prompt in the part read is counted as stray', async () => {
    const notes = emptyNotes();
    assert.deepEqual(await read([says('late')], notes), []);
    assert.equal(notes.stray, 1);
  });
});
