/** `tidemark search`: memories first, then turns; filters and times; never forgotten ones. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { shortId } from '../../src/core/index.ts';
import { Machine } from '../support/machine.ts';
import { SyntheticTranscript, uuid } from '../support/synthetic-transcript.ts';
import { waitFor } from '../support/wait-for.ts';

interface Found {
  readonly hits: readonly { readonly memory: { readonly id: string; readonly title: string } }[];
  readonly turns: readonly {
    readonly turn: { readonly id: string; readonly prompt: string };
    readonly cost: number;
  }[];
}

const DECISION = 'We decided to rotate refresh tokens on every use because stolen ones must die.';
const QUESTION = 'Which port does the metrics endpoint listen on?';
/** The second day of last month. */
const NOW = new Date();
const START = new Date(Date.UTC(NOW.getUTCFullYear(), NOW.getUTCMonth() - 1, 2, 9));
const MONTH = START.toLocaleString('en', { month: 'long', timeZone: 'UTC' });

test('turns without memories are listed below the memories and open as a transcript', async (t) => {
  const machine = await withSession(t);
  const { hits, turns } = await search(machine, 'metrics endpoint port');
  assert.deepEqual(hits, []);
  assert.deepEqual(
    turns.map(({ turn }) => turn.prompt),
    [QUESTION],
  );
  const id = turns[0]?.turn.id.slice(0, 8) ?? '';
  const printed = await machine.cli(['search', 'metrics', 'endpoint', 'port']);
  assert.match(printed.stdout, new RegExp(`Turns .*\\n${id}  Which port .* ago · \\d+ tokens`));
  const whole = await machine.cli(['transcript', id]);
  assert.match(whole.stdout, /It listens on 9464/);
});

test('a turn whose memory is listed is listed too, because it says more', async (t) => {
  const machine = await withSession(t);
  const { hits, turns } = await search(machine, 'rotate refresh tokens');
  assert.equal(hits.length, 1);
  assert.match(turns[0]?.turn.prompt ?? '', /rotate refresh tokens/);
});

test('search and show name the evidence and the source, in text and JSON', async (t) => {
  const machine = Machine.open(t);
  await machine.cli(['remember', 'Rotate the logs weekly', '--kind', 'preference']);
  assert.match((await machine.cli(['search', 'logs'])).stdout, / · said by you · \d/);
  const [hit] = (await search(machine, 'logs')).hits;
  const origin = (memory: object | undefined) => ({ ...memory, evidence: 'said', source: 'user' });
  assert.deepEqual(origin(hit?.memory), hit?.memory);
  const id = hit?.memory.id ?? '';
  assert.match((await machine.cli(['show', id])).stdout, /\nsaid by you · source: you\n/);
  const [shown] = JSON.parse((await machine.cli(['show', id, '--json'])).stdout) as { memory: object }[];
  assert.deepEqual(origin(shown?.memory), shown?.memory);
});

test('a forgotten turn is found in neither tier', async (t) => {
  const machine = await withSession(t);
  const [hit] = (await search(machine, 'rotate refresh tokens')).hits;
  assert.equal((await machine.cli(['forget', hit?.memory.id ?? ''])).code, 0);
  assert.deepEqual(await search(machine, 'rotate refresh tokens'), {
    hits: [],
    turns: [],
    sections: [],
  });
});

test('kind, file, project and time filter the results', async (t) => {
  const machine = await withSession(t);
  const titles = async (query: string): Promise<number> => (await search(machine, query)).hits.length;
  for (const query of [
    'kind:decision refresh',
    'file:src/auth.ts refresh',
    'auth.ts',
    `since:${dayOf(1)} refresh`,
    `refresh until:${dayOf(3)}`,
    `refresh tokens in ${MONTH}`,
    `refresh tokens ${dayOf(2)}`,
    'refreshTokens',
  ])
    assert.equal(await titles(query), 1, query);
  for (const query of [
    'kind:bugfix refresh',
    'file:other.ts refresh',
    `since:${dayOf(3)} refresh`,
    'project:elsewhere refresh',
  ])
    assert.equal(await titles(query), 0, query);
});

test('a wrong filter is an error that lists the right values', async (t) => {
  const machine = Machine.open(t);
  for (const [args, expected] of [
    [['kind:nonsense', 'refresh'], /a kind is one of decision, bugfix, .*dead_end/],
    [['--kind', 'nonsense', 'refresh'], /a kind is one of decision, /],
    [['state:done', 'refresh'], /a state is one of current, open, resolved, superseded/],
    [['--state=done', 'refresh'], /a state is one of current, /],
    [['since:yesterday', 'refresh'], /not a time. Try 3d or 2026-11-01/],
  ] as const) {
    const { code, stderr } = await machine.cli(['search', ...args]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, expected);
  }
});

test('each line names state and project, and what ended comes last', async (t) => {
  const machine = Machine.open(t);
  const remember = async (title: string, kind: string): Promise<string> => {
    const { stdout } = await machine.cli(['remember', title, '--kind', kind, '--json']);
    return (JSON.parse(stdout) as { id: string }).id;
  };
  const old = await remember('Deploy the billing service with a shell script', 'decision');
  const by = await remember('Billing service goes out with Argo', 'decision');
  const done = await remember('The billing service leaks memory', 'issue');
  assert.equal((await machine.cli(['supersede', old, by])).code, 0);
  assert.equal((await machine.cli(['resolve', done])).code, 0);
  const lines = (await machine.cli(['search', 'billing', 'service'])).stdout.trim().split('\n');
  assert.equal(lines.length, 3);
  assert.match(lines[0] ?? '', new RegExp(`^${shortId(by)}  decision    Billing .*  current · project · `));
  for (const line of lines.slice(1))
    assert.match(line, new RegExp(`  (?:superseded by ${shortId(by)}|resolved) · project · `));
  const titles = async (...args: readonly string[]): Promise<readonly string[]> =>
    (await search(machine, args.join(' '))).hits.map(({ memory }) => memory.id);
  assert.deepEqual(await titles('state:superseded'), [old]);
  assert.deepEqual(await titles('--kind', 'issue', '--state', 'resolved', 'billing'), [done]);
});

test('other projects are searched with --all, and counted when this one has no match', async (t) => {
  const machine = Machine.open(t);
  await machine.cli(['remember', 'Use pg-boss for the job queue', '--kind', 'decision']);
  const other = join(machine.root, 'other');
  const nowhere = join(machine.root, 'nowhere');
  for (const folder of [other, nowhere]) mkdirSync(folder);
  await machine.cli(['remember', 'Ship the uploader in Rust', '--kind', 'decision'], { cwd: other });
  const here = await machine.cli(['search', 'uploader', 'Rust']);
  assert.equal(here.stdout, '');
  assert.equal(here.stderr, 'No matches in this project. 1 hit in other projects: add --all.\n');
  const json = await machine.cli(['search', 'uploader', 'Rust', '--json']);
  assert.deepEqual(JSON.parse(json.stdout), { hits: [], turns: [], sections: [], elsewhere: 1 });
  assert.match((await machine.cli(['search', '--all', 'uploader'])).stdout, /Rust  current · other · /);
  const outside = await machine.cli(['search', 'uploader'], { cwd: nowhere });
  assert.match(outside.stdout, /Rust  current · other · /);
  assert.match(outside.stderr, /no known project: all projects were searched/);
});

test('odd queries get a helpful answer, never a syntax error', async (t) => {
  const machine = Machine.open(t);
  await machine.cli(['remember', 'Rotate the refresh token on every use', '--kind', 'decision']);
  for (const query of ['- from', '***', '"', '""', '*', '-', 'OR', 'NEAR(a b)', '(', 'kind:', '--x y']) {
    const { code, stdout, stderr } = await machine.cli(['search', query]);
    assert.equal(code, 0, `${query}: ${stderr}`);
    assert.equal(stdout, '', query);
    assert.match(stderr, /^(?:No matches|Every word of|“.*” contains no word)/, query);
  }
  assert.match((await machine.cli(['search', 'last week'])).stderr, /a time is written since:3d/);
  assert.match((await machine.cli(['search', 'NEAR "refresh"* OR'])).stdout, /Rotate the refresh token/);
});

test('`why` and verbose recall distinguish no result from a weak one', async (t) => {
  const machine = await withSession(t);
  assert.equal((await machine.cli(['config', 'set', 'recall.verbose', 'true'])).code, 0);
  const session_id = uuid('later');
  const ask = async (prompt: string): Promise<string> => {
    const fields = { session_id, transcript_path: join(machine.root, 'none.jsonl') };
    const once = () => machine.deliver('UserPromptSubmit', { ...fields, prompt, prompt_id: randomUUID() });
    // A daemon on a busy machine may miss a prompt's budget and then stays silent.
    const body = await waitFor('an answer in time', async () => (await once()).body);
    return (JSON.parse(body) as { systemMessage: string }).systemMessage;
  };
  assert.equal(
    await ask('paint the garden shed green'),
    'Tidemark: Memory Retrieved (0): no memory matches the prompt',
  );
  const unsure = await ask('the stolen bicycle was found near the harbour by someone');
  assert.match(
    unsure,
    /^Tidemark: Memory Retrieved \(0\): 1 memory was found, but it does not match closely enough$/,
  );
  await machine.drained();
  const { stdout } = await machine.cli(['why', session_id]);
  assert.match(stdout, /nothing injected: no memory matches the prompt/);
  assert.match(stdout, /nothing injected: 1 memory was found, but it does not match/);
});

test('a session is found by its decisions and by its prompts', async (t) => {
  const machine = await withSession(t);
  const sessions = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { code, stdout, stderr } = await machine.cli(['sessions', ...args, '--json']);
    assert.equal(code, 0, stderr);
    return (JSON.parse(stdout) as readonly { id: string }[]).map(({ id }) => id);
  };
  for (const words of [[], ['refresh', 'tokens'], ['metrics', 'endpoint', 'port']])
    assert.deepEqual(await sessions(...words), [uuid('search')], words.join(' '));
  assert.deepEqual(await sessions('garden', 'shed'), []);
  assert.match((await machine.cli(['sessions', 'garden', 'shed'])).stderr, /No session matches/);
});

test('sessions since a time are listed as Markdown with their summaries', async (t) => {
  const machine = await withSession(t);
  await machine.hook('SessionEnd', { session_id: uuid('search'), reason: 'exit' });
  await machine.drained();
  for (const args of [[], ['metrics', 'endpoint']]) {
    const { stdout } = await machine.cli(['sessions', ...args, '--since', '2025-01-01', '--markdown']);
    assert.match(
      stdout,
      /^## .+\n\n\d{4}-\d\d-\d\d \d\d:\d\d · .+ · \d turns? · completed · .+\n\n- \*\*request\*\*: /,
    );
  }
  const { stderr } = await machine.cli(['sessions', '--since', '2999-01-01']);
  assert.match(stderr, /No sessions since then/);
});

async function search(machine: Machine, query: string): Promise<Found> {
  const { code, stdout, stderr } = await machine.cli(['search', ...query.split(' '), '--json']);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Found;
}

/** A day of the month the session was in. */
function dayOf(day: number): string {
  return `${START.toISOString().slice(0, 'YYYY-MM'.length)}-0${day}`;
}

async function withSession(t: TestContext): Promise<Machine> {
  const machine = Machine.open(t);
  await machine.up();
  const transcript = new SyntheticTranscript({
    config: machine.config,
    cwd: machine.project,
    session: uuid('search'),
    start: START.toISOString(),
  });
  const edit = { file_path: join(machine.project, 'src/auth.ts'), old_string: 'a', new_string: 'b' };
  const tools = [{ name: 'Edit', input: edit, output: 'ok' }];
  transcript.append({ prompt: DECISION, answer: 'Done.', tools });
  transcript.append({ prompt: QUESTION, answer: 'It listens on 9464.' });
  transcript.finish();
  const { session: session_id, path: transcript_path } = transcript;
  await machine.deliver('SessionEnd', { session_id, transcript_path, reason: 'other' });
  await machine.drained();
  return machine;
}
