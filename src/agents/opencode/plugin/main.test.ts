import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setEnvironment } from '../../../../test/support/environment.ts';
import { placesIn } from '../../../core/index.ts';
import type { Hooks, Part, SessionInfo } from './_api.ts';
import tidemark from './main.ts';

// The daemon of the test answers at once, but a busy machine may not.
setEnvironment({ TIDEMARK_ANSWER_S: '20', XDG_DATA_HOME: '/data', OPENCODE_DB: undefined });

const MAIN = 'ses_main';
const CHILD = 'ses_child';
const AGENT = 'You are opencode, an interactive CLI tool';

test('the brief is a system message of every step, and its text stays the same', async (t) => {
  const it = await open(t);
  await it.prompt(MAIN, 'use pg-boss');
  assert.deepEqual(it.names(), ['SessionStart', 'UserPromptSubmit']);
  assert.deepEqual(it.events[0]?.fields, {
    session_id: MAIN,
    transcript_path: `/data/opencode/opencode.db#${MAIN}`,
    cwd: '/app',
    source: 'startup',
  });
  for (const _ of [1, 2]) assert.deepEqual(await it.system(MAIN), [AGENT, '<SessionStart 1>']);
  await it.prompt(MAIN, 'go on');
  assert.deepEqual(await it.system(MAIN), [AGENT, '<SessionStart 1>']);
  assert.deepEqual(it.names(), ['SessionStart', 'UserPromptSubmit', 'UserPromptSubmit']);
});

test('the agents of the client itself get no brief', async (t) => {
  const it = await open(t);
  await it.prompt(MAIN, 'use pg-boss');
  for (const text of [
    'You are a title generator. You output ONLY a thread title.',
    'You are a context summarization agent. You are given a conversation',
    'Summarize what was done in this conversation. Write like a pull request',
  ])
    assert.deepEqual(await it.system(MAIN, text), [text]);
  assert.deepEqual(await it.system('ses_unknown'), [AGENT]);
  assert.deepEqual(await it.system(undefined), [AGENT]);
});

test('context comes after the prompt, as a part that is not of the user', async (t) => {
  const it = await open(t);
  const parts = await it.prompt(MAIN, '"use pg-boss"');
  const [typed, injected, ...others] = parts;
  assert.deepEqual(others, []);
  assert.ok(typed && injected && injected.id > typed.id && injected.id.startsWith('prt_'));
  assert.deepEqual(
    [injected.type, injected.text, injected.synthetic, injected.messageID, injected.sessionID],
    ['text', '<UserPromptSubmit 2>', true, 'msg_1', MAIN],
  );
  const { prompt, prompt_id: id } = it.events[1]?.fields ?? {};
  assert.deepEqual([prompt, id], ['use pg-boss', 'msg_1']);
});

test('a command is sent as the user typed it, and noted where the client stores it', async (t) => {
  const it = await open(t);
  const part: Partial<Part> = { type: 'text', text: 'Search the memory for queue' };
  await it.hooks['command.execute.before']?.(
    { command: 'tidemark-search', arguments: 'queue' },
    { parts: [part] },
  );
  await it.hooks['chat.message']?.(
    { sessionID: MAIN },
    {
      message: { id: 'msg_1' },
      parts: [{ ...part, id: 'prt_1', sessionID: MAIN, messageID: 'msg_1' } as Part],
    },
  );
  assert.equal(it.events[1]?.fields['prompt'], '/tidemark:search queue');
});

test('what is known about a file follows the text that was read', async (t) => {
  const it = await open(t);
  const after = async (tool: string, result: { output?: unknown }): Promise<unknown> => {
    const call = { tool, sessionID: MAIN, callID: 'call_1', args: { filePath: '/app/queue.ts' } };
    await it.hooks['tool.execute.after']?.(call, result);
    return result.output;
  };
  assert.equal(
    await after('read', { output: '1: x' }),
    '1: x\n\n<tidemark-context>\n<PostToolUse 1>\n</tidemark-context>',
  );
  const { file, call, cwd, session_id: session } = it.events[0]?.fields ?? {};
  assert.deepEqual([file, call, cwd, session], ['/app/queue.ts', 'call_1', '/app', MAIN]);
  assert.equal(await after('bash', { output: 'x' }), 'x');
  assert.equal(await after('read', {}), undefined, 'the result of another tool of that name');
  assert.equal(it.events.length, 1);
});

test('the end of a turn and of the client are reported, in order', async (t) => {
  const it = await open(t);
  await it.bus('session.idle', MAIN);
  assert.deepEqual(it.names(), [], 'a session of another client');
  await it.prompt(MAIN, 'use pg-boss');
  const idle = it.bus('session.idle', MAIN);
  await it.hooks.dispose?.();
  assert.deepEqual(it.names(), ['SessionStart', 'UserPromptSubmit', 'Stop', 'SessionEnd']);
  assert.equal(it.events[2]?.fields['prompt_id'], 'msg_1');
  await idle;
  await it.hooks.dispose?.();
  assert.equal(it.events.length, 4, 'a session ends once');
});

test('a subagent belongs to the session that started it', async (t) => {
  const it = await open(t);
  await it.bus('session.created', MAIN, { id: MAIN, directory: '/app/sub' });
  await it.prompt(MAIN, 'use pg-boss');
  await it.bus('session.created', CHILD, {
    id: CHILD,
    parentID: MAIN,
    agent: 'explore',
    directory: '/app/sub',
  });
  assert.equal((await it.prompt(CHILD, 'look around')).length, 1, 'its task is not of the user');
  assert.deepEqual(await it.system(CHILD), [AGENT]);
  const read = { tool: 'read', sessionID: CHILD, callID: 'call_1', args: { filePath: 'a.ts' } };
  await it.hooks['tool.execute.after']?.(read, { output: '' });
  await it.bus('session.idle', CHILD);
  await it.hooks.dispose?.();
  assert.deepEqual(it.names(), [
    'SessionStart',
    'UserPromptSubmit',
    'PostToolUse',
    'SubagentStop',
    'SessionEnd',
  ]);
  assert.ok(it.events.every(({ fields }) => fields['session_id'] === MAIN && fields['cwd'] === '/app/sub'));
  const { agent_id, agent_type, agent_transcript_path, transcript_path } = it.events[3]?.fields ?? {};
  assert.deepEqual(
    [agent_id, agent_type, agent_transcript_path, transcript_path],
    [CHILD, 'explore', `/data/opencode/opencode.db#${CHILD}`, `/data/opencode/opencode.db#${MAIN}`],
  );
});

test('a summary of the conversation brings a new brief', async (t) => {
  const it = await open(t);
  await it.prompt(MAIN, 'use pg-boss');
  await it.hooks['experimental.session.compacting']?.({ sessionID: MAIN });
  await it.bus('session.compacted', MAIN);
  assert.deepEqual(await it.system(MAIN), [AGENT, '<SessionStart 4>']);
  assert.deepEqual(it.names().slice(2), ['PreCompact', 'SessionStart']);
  assert.equal(it.events[3]?.fields['source'], 'compact');
});

test('no error reaches the client, whatever it sends', async (t) => {
  const it = await open(t);
  for (const hook of Object.values(it.hooks) as ((...args: unknown[]) => Promise<void>)[])
    for (const args of [
      [],
      [{}],
      [{}, {}],
      [null, null],
      [{ event: {} }],
      [{ sessionID: MAIN }, { parts: null }],
    ])
      await hook(...args);
});

test('our own calls of a model are left alone', async (t) => {
  setEnvironment({ TIDEMARK_NESTED: '1' }, (restore) => t.after(restore));
  assert.deepEqual((await open(t)).hooks, {});
});

/** OpenCode as far as the plugin sees it, beside a daemon that injects the name and number of every event. */
async function open(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'tidemark-opencode-plugin-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const places = placesIn(join(root, 'data'));
  mkdirSync(places.run, { recursive: true });
  const events: { readonly name: string; readonly fields: Record<string, unknown> }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const [, , , name = ''] = (request.url ?? '').split('/');
      events.push({ name, fields: JSON.parse(body.slice(body.indexOf('\n\n'))) });
      const context = { hookEventName: name, additionalContext: `<${name} ${events.length}>` };
      const answer = JSON.stringify({ hookSpecificOutput: context });
      response.writeHead(200, { 'content-length': Buffer.byteLength(answer) });
      response.end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(places.socket, resolve));
  t.after(() => server.close());
  writeFileSync(places.socketPointer, `${places.socket}\n`);

  const hooks: Hooks = tidemark({ directory: '/app' }, places.home, root);
  let messages = 0;
  const prompt = async (sessionID: string, text: string): Promise<readonly Part[]> => {
    const id = `msg_${++messages}`;
    const parts: Part[] = [{ id: `prt_${messages}`, sessionID, messageID: id, type: 'text', text }];
    await hooks['chat.message']?.({ sessionID }, { message: { id }, parts });
    return parts;
  };
  const system = async (sessionID: string | undefined, first = AGENT): Promise<readonly string[]> => {
    const output = { system: [first] };
    const input = sessionID === undefined ? {} : { sessionID };
    await hooks['experimental.chat.system.transform']?.(input, output);
    return output.system;
  };
  const bus = (type: string, sessionID: string, info?: SessionInfo): Promise<void> =>
    hooks.event?.({ event: { type, properties: { sessionID, ...(info ? { info } : {}) } } }) ??
    Promise.reject(new Error('no handler of events'));
  return { hooks, events, prompt, system, bus, names: () => events.map(({ name }) => name) };
}
