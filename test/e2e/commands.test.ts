/** The skill and the commands that the model carries out, with the real client and the permissions they bring. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { shortId, type Memory } from '../../src/core/index.ts';
import { callDaemon } from '../support/call.ts';
import { startStage, type Stage } from '../support/claude.ts';
import type { Reply } from '../support/mock-model.ts';
import { claudeCode } from '../support/parts.ts';
import { allText, bash, rememberedDecision, script, toolResults } from './_surface.ts';

const { path: claude, skip } = claudeCode('2.1.325');

/** Shared by all tests. Each runs sessions of its own in the one project. */
let stage: Stage;
let decision: Memory;
before(async () => {
  if (skip) return;
  stage = await startStage({ claude });
  decision = await rememberedDecision(stage);
});
after(() => stage?.close());

describe('the skill memory-recall', () => {
  for (const [how, begin] of [
    ['the model', (question: string) => ({ prompt: 'As we decided?', first: [recallBy(question)] })],
    ['the user', (question: string) => ({ prompt: `/tidemark:memory-recall ${question}`, first: [] })],
  ] as const) {
    test(`called by ${how}, searches in a subagent and returns only its answer`, { skip }, async () => {
      const { id } = decision;
      const { prompt, first } = begin('why do refresh tokens rotate?');
      const answer = `Stolen tokens must die at first reuse (${id}, just now).`;
      script(stage, [
        ...first,
        bash("tidemark search -- 'refresh token rotate'"),
        bash(`tidemark show ${id}`),
        bash(`tidemark transcript ${id}`),
        { text: answer },
        { text: `Recalled: ${answer}` },
      ]);
      // The client asks the user once before a model may run a skill that grants permissions.
      const args = ['--allowedTools', 'Skill(tidemark:memory-recall)'];
      const session = await stage.run(prompt, { args });
      assert.ok(session.result.includes(answer), `${session.result}\n${stage.logs()}`);
      const results = toolResults(session);
      for (const [level, expected] of [
        ['search', new RegExp(`${shortId(id)} .*decision`)],
        ['show', new RegExp(`the conversation: tidemark transcript ${shortId(id)}`)],
        ['transcript', /User\n[\s\S]*Agent\n/],
      ] as const)
        assert.ok(
          results.some((text) => expected.test(text)),
          `${level} in ${results.join('\n---\n')}`,
        );
      // The main conversation gets nothing but the answer.
      const last = session.requests.at(-1);
      if (first.length > 0) assert.ok(last && !allText(last).includes(`tidemark transcript ${shortId(id)}`));
    });
  }
});

describe('commands that the model carries out with the permissions they bring', () => {
  test('search and ask', { skip }, async () => {
    const { id } = decision;
    for (const command of ['search', 'ask']) {
      const [list, entry] = await carriedOut(`/tidemark:${command} refresh tokens`, [
        "tidemark search -- 'refresh tokens'",
        `tidemark show ${id}`,
      ]);
      assert.match(list ?? '', new RegExp(shortId(id)), command);
      assert.match(entry ?? '', /tokens · |tokens/, command);
    }
  });

  test('remember, then forget, which asks first', { skip }, async () => {
    const [kept = ''] = await carriedOut('/tidemark:remember we ship on Fridays', [
      "tidemark remember --kind decision -- 'We ship on Fridays'",
    ]);
    const [id = ''] = /^\w{7}/.exec(kept) ?? [];
    assert.match(kept, /decision · We ship on Fridays/);
    const [found, refused] = await carriedOut(`/tidemark:forget ${id}`, [
      `tidemark show ${id}`,
      `tidemark forget ${id}`,
    ]);
    assert.match(found ?? '', /We ship on Fridays/);
    assert.match(refused ?? '', /requires approval|permission|denied/i);
    const allow = ['--allowedTools', 'Bash(tidemark forget:*)'];
    const [gone] = await carriedOut(`/tidemark:forget ${id}`, [`tidemark forget ${id}`], allow);
    assert.match(gone ?? '', new RegExp(`Forgot ${id}`));
  });

  test('recap, since a day', { skip }, async () => {
    const [sessions, memories] = await carriedOut('/tidemark:recap 2d', [
      'tidemark sessions --since 2d --markdown',
      'tidemark search since:2d --limit 50',
    ]);
    assert.match(sessions ?? '', /^## .+\n\n.+ 1 turn/m);
    assert.ok((memories ?? '').includes(shortId(decision.id)));
  });

  test('why, by the id of a memory', { skip }, async () => {
    const { id } = decision;
    const [moments] = await carriedOut(`/tidemark:why ${id}`, [`tidemark why ${id}`]);
    assert.match(moments ?? '', new RegExp(`The brief[\\s\\S]*${shortId(id)}`));
  });

  test('undo takes back what the session stored, and our commands are not content', { skip }, async () => {
    stage.mock.rules.length = 0;
    const rule = 'From now on we never use floats for money. [[say All right.]]';
    const { session } = await stage.run(rule);
    const stored = async () => {
      await callDaemon(stage.places, 'drain', {});
      const memories = await callDaemon(stage.places, 'read.memories', { dir: stage.project, limit: 50 });
      return memories.filter(({ title }) => title.includes('floats')).length;
    };
    assert.equal(await stored(), 1);
    const [undone] = await carriedOut('/tidemark:undo', ['tidemark undo'], ['--resume', session]);
    assert.match(undone ?? '', /Forgotten:\n\w{7} .*floats/);
    assert.equal(await stored(), 0);
    const [none] = await carriedOut('/tidemark:undo', ['tidemark undo'], ['--resume', session]);
    assert.match(none ?? '', /nothing was remembered in this session that can be undone/);
    assert.deepEqual(await callDaemon(stage.places, 'read.turns', { session }), []);
  });

  test('import by either name, pause and resume', { skip }, async () => {
    for (const command of ['import', 'addHistory']) {
      const [report] = await carriedOut(`/tidemark:${command}`, ['tidemark import history --project']);
      assert.match(report ?? '', /Read \d+ sessions? of 1 project:/, command);
    }
    const [own] = await carriedOut('/tidemark:import session', ['tidemark import history --session']);
    assert.match(own ?? '', /Read 1 session of 1 project:/);
    const [paused] = await carriedOut('/tidemark:pause', ['tidemark pause']);
    assert.match(paused ?? '', /Paused in project:/);
    const [resumed] = await carriedOut('/tidemark:pause off', ['tidemark resume']);
    assert.match(resumed ?? '', /Resumed/);
  });
});

function recallBy(question: string): Reply {
  return { tools: [{ name: 'Skill', input: { skill: 'tidemark:memory-recall', args: question } }] };
}

/** Returns the CLI's answers when the model ran these lines, one after the other. */
async function carriedOut(
  command: string,
  lines: readonly string[],
  args: readonly string[] = [],
): Promise<readonly string[]> {
  script(stage, [...lines.map(bash), { text: 'Done.' }]);
  const session = await stage.run(command, { args });
  assert.equal(session.result, 'Done.');
  return toolResults(session).slice(-lines.length);
}
