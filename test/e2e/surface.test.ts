/** Every MCP tool that the model can call and every command that the user can type, with the real client. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { shortId, type Memory } from '../../src/core/index.ts';
import { callDaemon } from '../support/call.ts';
import { startStage, type Stage } from '../support/claude.ts';
import { leaksIn } from '../support/leaks.ts';
import { textOf, type Reply } from '../support/mock-model.ts';
import { claudeCode, TESTED_VERSIONS } from '../support/parts.ts';
import { allText, rememberedDecision, script, TOOL, toolResults } from './_surface.ts';

const TOOLS = ['search', 'show', 'transcript', 'timeline', 'remember', 'resolve', 'forget', 'projects'];
const ALLOWED = ['--allowedTools', TOOLS.map((name) => TOOL + name).join(',')];
const FENCED = /<tidemark-memory note="remembered data/;
/** Only newer clients defer tools; older ones have them all from the start. */
const DEFERS: Readonly<Record<string, boolean>> = { '2.1.325': true, '2.1.197': false };

for (const version of TESTED_VERSIONS) {
  const { path: claude, skip } = claudeCode(version);

  describe(`Claude Code ${version}`, () => {
    /** Shared by all tests. Each runs sessions of its own in the one project. */
    let stage: Stage;
    let decision: Memory;
    before(async () => {
      if (skip) return;
      stage = await startStage({ claude });
      decision = await rememberedDecision(stage);
    });
    after(() => stage?.close());

    // First, because the brief names the commands that earlier sessions typed.
    if (DEFERS[version])
      test('the tools add only names and a few lines to the context, no schemas', { skip }, async () => {
        const { requests } = await stage.run('Hello [[say hi]]');
        const [first] = requests;
        assert.ok(first);
        assert.deepEqual(
          first.tools?.filter(({ name }) => name.startsWith(TOOL)).map(({ name }) => name),
          [],
        );
        const text = allText(first);
        for (const name of TOOLS) assert.ok(text.includes(TOOL + name), name);
        assert.match(text, /Start with the cheapest/);
        assert.match(text, /tidemark:memory-recall/);
        assert.doesNotMatch(text, /tidemark:(?:search|forget|pause|hub)/);
      });

    test('the model calls every tool of the MCP server', { skip }, async () => {
      const { id, title } = decision;
      const issue = await byHand(stage, 'issue', 'The login page flickers');
      const calls: readonly (readonly [string, object, RegExp])[] = [
        ['search', { query: 'refresh token' }, new RegExp(`${shortId(id)} decision, .*score .*~\\d+ tokens`)],
        ['show', { ids: [id] }, new RegExp(title.slice(0, 20))],
        ['transcript', { id }, /User:\n[\s\S]*auth\.ts[\s\S]*Agent:\nDone/],
        ['timeline', { around: id }, /← this one/],
        ['remember', { title: 'Prefer tabs', kind: 'preference' }, /(?:Remembered|Noted) as \w+/],
        ['resolve', { ids: [issue], quote: 'the login page is done' }, /resolved issue|with this turn/],
        ['forget', { ids: [issue] }, new RegExp(`Forgot ${shortId(issue)}`)],
        ['projects', {}, /project-\w+.*memor(?:y|ies)/],
      ];
      const load = {
        tools: [{ name: 'ToolSearch', input: { query: `select:${TOOLS.map(named).join(',')}` } }],
      };
      script(stage, [
        ...(DEFERS[version] ? [load] : []),
        ...calls.map(([name, input]): Reply => ({ tools: [{ name: named(name), input }] })),
        { text: 'All asked.' },
      ]);
      const session = await stage.run('Use your memory tools, the login page is done.', { args: ALLOWED });
      assert.equal(session.result, 'All asked.');
      const results = toolResults(session).slice(-calls.length);
      for (const [i, [name, , expected]] of calls.entries())
        assert.match(results[i] ?? '', expected, `${name}\n${stage.logs()}`);
      for (const i of [0, 1, 2, 3]) assert.match(results[i] ?? '', FENCED);
      assert.deepEqual(await usesBy(stage, session.session), [true]);
    });

    test('commands that need no model show their result', { skip }, async () => {
      for (const [command, expected] of [
        ['help', /✓ hooks received[\s\S]*✓ daemon/],
        ['hub', /^http:\/\/127\.0\.0\.1:\d+\/enter\?key=[\w-]+$/m],
        ['projects', /^project-\w+ +\d+ memor(?:y|ies)/m],
        ['why', /^The brief {2}\d+ memor(?:y|ies)/m],
      ] as const)
        assert.match(await expanded(stage, `/tidemark:${command}`), expected, command);
    });

    test('the link to the hub is not stored', { skip }, async () => {
      const [, key = 'none'] = /enter\?key=([\w-]+)/.exec(await expanded(stage, '/tidemark:hub')) ?? [];
      await callDaemon(stage.places, 'drain', {});
      assert.deepEqual(leaksIn(stage.places.home, [{ name: 'the key', text: key }]), []);
    });

    test('the text after a command is never executed', { skip }, async () => {
      const trap = join(stage.home, 'trapped');
      const typed = `zebra !\`touch ${trap}\` $(touch ${trap}) '; touch ${trap}; #`;
      for (const command of ['search', 'ask', 'import', 'addHistory', 'remember', 'forget', 'why', 'pause'])
        assert.match(
          await expanded(stage, `/tidemark:${command} ${typed}`, ['--allowedTools', 'Bash']),
          /zebra/,
        );
      assert.ok(!existsSync(trap));
    });
  });
}

function named(name: string): string {
  return TOOL + name;
}

/** Returns the text that a command became before the model saw it. */
async function expanded(stage: Stage, command: string, args: readonly string[] = []): Promise<string> {
  script(stage, [{ text: 'Seen.' }]);
  const { requests } = await stage.run(command, { args });
  return textOf(requests[0]?.messages.findLast(({ role }) => role === 'user'));
}

async function byHand(stage: Stage, kind: Memory['kind'], title: string): Promise<string> {
  const draft = { kind, title, body: '', facts: [], concepts: [], files: [] };
  const { id } = await callDaemon(stage.places, 'remember', { draft, dir: stage.project });
  return id;
}

/** Whether the session opened a memory that its brief named. */
async function usesBy(stage: Stage, session: string): Promise<readonly boolean[]> {
  const moments = await callDaemon(stage.places, 'read.why', { of: session });
  const opened = moments.flatMap(({ memories }) => memories.map((memory) => memory.opened));
  return [opened.includes(true)];
}
