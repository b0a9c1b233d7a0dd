/** A call that a memory forbids literally is stopped once with the real client, if `recall.stopOnce` is on. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { shortId, type MemoryDraft } from '../../src/core/index.ts';
import { callDaemon } from '../support/call.ts';
import { openStage, type Stage } from '../support/claude.ts';
import type { Reply } from '../support/mock-model.ts';
import { claudeCode, part, TESTED_VERSIONS } from '../support/parts.ts';
import { openTerminal } from '../support/tmux.ts';
import { bash, script, toolResults } from './_surface.ts';

const ALLOWED = ['--allowedTools', 'Write,Edit,Read,Bash(touch:*)'];
const STOPPED = /Tidemark stopped this call once, because a memory forbids `([^`]+)`/;
const tmux = part('tmux');

for (const version of TESTED_VERSIONS) {
  const { path: claude, skip } = claudeCode(version);

  describe(`Claude Code ${version}`, () => {
    test(
      'without a user, a forbidden command is denied once with the reason and runs when repeated',
      { skip },
      async (t) => {
        const stage = await ready(t, claude);
        const id = await remember(stage, 'Never run touch done.txt', 'preference');
        const touch = bash('touch done.txt');
        script(stage, [touch, bash('touch other.txt'), touch, { text: 'Done.' }]);
        const session = await stage.run('Please finish the work.', { args: ALLOWED });
        const [denied = '', other = '', repeated = ''] = toolResults(session);
        assert.equal(STOPPED.exec(denied)?.[1], 'touch done.txt', `${denied}\n${stage.logs()}`);
        assert.match(
          denied,
          new RegExp(`<tidemark-memory note=[\\s\\S]*${shortId(id)}[\\s\\S]*repeat the call to go ahead`),
        );
        assert.doesNotMatch(other + repeated, STOPPED);
        assert.ok(existsSync(join(stage.project, 'done.txt')));
        const moments = await callDaemon(stage.places, 'read.why', { of: session.session, limit: 50 });
        const stops = moments.filter(({ where }) => where === 'stop');
        assert.deepEqual(
          stops.map(({ memories }) => memories.map((one) => one.id)),
          [[id]],
        );
      },
    );

    test('an edit that adds what a dead end names is denied once', { skip }, async (t) => {
      const stage = await ready(t, claude);
      await remember(stage, 'lodash.merge breaks on Dates', 'dead_end');
      const file = join(stage.project, 'src/a.ts');
      writeFileSync(file, 'export const a = clone(b);\n');
      const edit: Reply = {
        tools: [
          { name: 'Edit', input: { file_path: file, old_string: 'clone(b)', new_string: 'lodash.merge(b)' } },
        ],
      };
      script(stage, [
        { tools: [{ name: 'Read', input: { file_path: file } }] },
        edit,
        edit,
        { text: 'Done.' },
      ]);
      const session = await stage.run('Please make it deep.', { args: ALLOWED });
      const [, denied = '', repeated = ''] = toolResults(session);
      assert.equal(STOPPED.exec(denied)?.[1], 'lodash.merge', stage.logs());
      assert.doesNotMatch(repeated, STOPPED);
      assert.match(readFileSync(file, 'utf8'), /lodash\.merge/);
    });

    test('what the user just ordered is not stopped, and nothing is by default', { skip }, async (t) => {
      const stage = await ready(t, claude);
      await remember(stage, 'Never run touch done.txt', 'preference');
      script(stage, [bash('touch done.txt'), { text: 'Done.' }]);
      const ordered = await stage.run('Run touch done.txt now.', { args: ALLOWED });
      assert.doesNotMatch(toolResults(ordered).join(), STOPPED, stage.logs());
      await callDaemon(stage.places, 'settings.set', { key: 'recall.stopOnce', value: false });
      script(stage, [bash('touch done.txt'), { text: 'Done.' }]);
      const off = await stage.run('Please finish the work.', { args: ALLOWED });
      assert.doesNotMatch(toolResults(off).join(), STOPPED);
    });

    test('at a terminal the user is asked, and may allow it', { skip: skip ?? tmux.skip }, async (t) => {
      const stage = await ready(t, claude);
      await remember(stage, 'Never run touch done.txt', 'preference');
      script(stage, [bash('touch done.txt'), { text: 'All finished.' }]);
      const terminal = await openTerminal(t, stage, { tmux: tmux.path, claude, args: ALLOWED });
      await terminal.waitFor('❯');
      await terminal.submit('Please finish the work.');
      await terminal.waitFor('a memory forbids touch done.txt');
      assert.ok(!existsSync(join(stage.project, 'done.txt')));
      await terminal.confirm('Do you want to proceed?');
      await terminal.waitFor('All finished.');
      assert.ok(existsSync(join(stage.project, 'done.txt')), stage.logs());
    });
  });
}

/** Opens a stage whose daemon is up, with `recall.stopOnce` on. */
async function ready(t: Parameters<typeof openStage>[0], program: string): Promise<Stage> {
  const stage = await openStage(t, { claude: program });
  mkdirSync(join(stage.project, 'src'));
  await stage.startDaemon();
  await callDaemon(stage.places, 'settings.set', { key: 'recall.stopOnce', value: true });
  return stage;
}

async function remember(stage: Stage, title: string, kind: MemoryDraft['kind']): Promise<string> {
  const draft: MemoryDraft = { kind, title, body: '', facts: [], concepts: [], files: [] };
  const { id } = await callDaemon(stage.places, 'remember', { draft, dir: stage.project });
  return id;
}
