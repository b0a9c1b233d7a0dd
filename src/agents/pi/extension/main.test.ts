import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setEnvironment } from '../../../../test/support/environment.ts';
import { placesIn } from '../../../core/index.ts';
import type { Pi, PiContext, PiEntry, PiTool } from './_pi-api.ts';
import tidemark from './main.ts';

// The daemon of the test answers at once, but a busy machine may not.
setEnvironment({ TIDEMARK_ANSWER_S: '20' });

type Handler = (event: object, context: PiContext) => Promise<unknown>;

/** pi as far as the extension sees it, beside a daemon that injects the name of every event. */
async function open(t: TestContext, { stored = true } = {}) {
  const root = mkdtempSync(join(tmpdir(), 'tidemark-pi-extension-'));
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
      const context = { hookEventName: name, additionalContext: `<${name}>` };
      const answer = JSON.stringify({ systemMessage: `shown at ${name}`, hookSpecificOutput: context });
      response.writeHead(200, { 'content-length': Buffer.byteLength(answer) });
      response.end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(places.socket, resolve));
  t.after(() => server.close());
  writeFileSync(places.socketPointer, `${places.socket}\n`);

  writeFileSync(
    join(root, 'tools.cjs'),
    `const tool = (name) => ({ name, title: name, description: name, inputSchema: { type: 'object' } });
     exports.tools = ['search', 'forget'].map(tool);
     exports.runTool = async (name, input, from) =>
       ({ text: JSON.stringify({ name, input, from }), isError: input.fails === true });`,
  );
  const handlers = new Map<string, Handler>();
  const tools: PiTool[] = [];
  const pi = {
    on: (event: string, handler: Handler) => handlers.set(event, handler),
    registerTool: (tool: PiTool) => tools.push(tool),
  };
  const branch: PiEntry[] = [];
  const shown: string[] = [];
  const context: PiContext = {
    cwd: '/app',
    hasUI: true,
    ui: { notify: (text) => shown.push(text) },
    sessionManager: {
      getSessionId: () => 's1',
      getSessionFile: () => (stored ? '/sessions/s1.jsonl' : undefined),
      getBranch: () => branch,
    },
  };
  tidemark(pi as Pi, places.home, root);
  const fire = (event: string, fields: object = {}): Promise<unknown> =>
    handlers.get(event)?.(fields, context) ?? Promise.reject(new Error(`${event} has no handler`));
  return { events, tools, branch, shown, context, fire };
}

const OUR_BRIEF: PiEntry = { type: 'custom_message', customType: 'tidemark', details: { brief: true } };

test('the brief comes with the first prompt of a session, and only there', async (t) => {
  const it = await open(t);
  await it.fire('session_start', { reason: 'startup' });
  assert.deepEqual(await it.fire('before_agent_start', { prompt: 'hi' }), {
    message: {
      customType: 'tidemark',
      content: '<SessionStart>\n\n<UserPromptSubmit>',
      display: false,
      details: { brief: true },
    },
  });
  const second = Object(await it.fire('before_agent_start', { prompt: 'again' }));
  assert.deepEqual(
    [second.message.content, second.message.details],
    ['<UserPromptSubmit>', { brief: false }],
  );
  const facts = { session_id: 's1', transcript_path: '/sessions/s1.jsonl', cwd: '/app' };
  assert.deepEqual(it.events, [
    { name: 'SessionStart', fields: { ...facts, source: 'startup' } },
    { name: 'UserPromptSubmit', fields: { ...facts, prompt: 'hi' } },
    { name: 'UserPromptSubmit', fields: { ...facts, prompt: 'again' } },
  ]);
  assert.deepEqual(it.shown, [
    'shown at SessionStart\nshown at UserPromptSubmit',
    'shown at UserPromptSubmit',
  ]);
});

test('a continued session that has the brief asks for changes; one without it for the brief', async (t) => {
  const it = await open(t);
  const sourceOf = async (reason: string, branch: readonly PiEntry[]): Promise<unknown> => {
    it.branch.splice(0, Infinity, ...branch);
    it.events.length = 0;
    await it.fire('session_start', { reason });
    await it.fire('before_agent_start', { prompt: 'hi' });
    return it.events.find(({ name }) => name === 'SessionStart')?.fields['source'];
  };
  assert.equal(await sourceOf('startup', [OUR_BRIEF]), 'resume');
  assert.equal(await sourceOf('resume', [OUR_BRIEF]), 'resume');
  assert.equal(await sourceOf('fork', [OUR_BRIEF]), 'fork');
  assert.equal(await sourceOf('reload', [OUR_BRIEF]), undefined);
  assert.equal(await sourceOf('resume', [{ type: 'message' }]), 'startup');
  assert.equal(await sourceOf('resume', [OUR_BRIEF, { type: 'compaction' }]), 'startup');
});

test('a summary, and a branch from before the brief, bring it again', async (t) => {
  const it = await open(t);
  it.branch.push(OUR_BRIEF);
  await it.fire('session_tree');
  assert.equal(it.events.length, 0, 'the branch has the brief');
  it.branch.length = 0;
  for (const event of ['session_tree', 'session_compact']) {
    it.events.length = 0;
    await it.fire(event);
    const { message } = Object(await it.fire('before_agent_start', { prompt: 'hi' }));
    assert.match(message.content, /^<SessionStart>/);
    assert.equal(it.events[0]?.fields['source'], 'compact');
  }
});

test('only the result of a read that worked gets what is known about the file', async (t) => {
  const it = await open(t);
  const content = [{ type: 'text', text: 'the file' }];
  const read = { toolName: 'read', toolCallId: 'c1', input: { path: 'a.ts' }, content, isError: false };
  assert.deepEqual(await it.fire('tool_result', read), {
    content: [...content, { type: 'text', text: '<PostToolUse>' }],
  });
  assert.deepEqual(it.events[0]?.fields, {
    session_id: 's1',
    transcript_path: '/sessions/s1.jsonl',
    cwd: '/app',
    file: 'a.ts',
    call: 'c1',
  });
  assert.equal(await it.fire('tool_result', { ...read, isError: true }), undefined);
  assert.equal(await it.fire('tool_result', { ...read, toolName: 'bash' }), undefined);
});

test('the end of a run carries the last answer, and a reload ends no session', async (t) => {
  const it = await open(t);
  const said = (text: string) => ({ role: 'assistant', content: [{ type: 'text', text }] });
  await it.fire('agent_end', { messages: [said('first'), { role: 'toolResult' }, said('last')] });
  await it.fire('session_shutdown', { reason: 'reload' });
  await it.fire('session_shutdown', { reason: 'quit' });
  assert.deepEqual(
    it.events.map(({ name, fields }) => [name, fields['last_assistant_message'] ?? fields['reason']]),
    [
      ['Stop', 'last'],
      ['SessionEnd', 'quit'],
    ],
  );
});

test('a session that is not stored is left alone', async (t) => {
  const it = await open(t, { stored: false });
  await it.fire('session_start', { reason: 'startup' });
  assert.equal(await it.fire('before_agent_start', { prompt: 'hi' }), undefined);
  await it.fire('agent_end', { messages: [] });
  await it.fire('session_shutdown', { reason: 'quit' });
  assert.deepEqual(it.events, []);
});

test('our tools are registered under names of their own, and run for the session', async (t) => {
  const it = await open(t);
  await it.fire('session_start', { reason: 'startup' });
  assert.deepEqual(
    it.tools.map(({ name }) => name),
    ['tidemark_search'],
  );
  const run = (input: object) =>
    it.tools[0]?.execute('c1', input as Record<string, unknown>, undefined, undefined, it.context);
  const [block] = (await run({ query: 'x' }))?.content ?? [];
  const { name, from } = JSON.parse(block?.text ?? '');
  assert.deepEqual(
    [name, from.session, from.call, from.dir, from.agent],
    ['search', 's1', 'c1', '/app', 'pi'],
  );
  await assert.rejects(async () => run({ fails: true }));
});
