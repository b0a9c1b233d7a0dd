import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { judge, scoreOf, type Answered, type HelpTask } from './help-score.ts';
import { labelledProjects } from './labelled-sessions.ts';

const TASKS = join(import.meta.dirname, 'data', 'help');
const SESSIONS = join(import.meta.dirname, '..', 'train', 'data', 'sessions');

const checks = { must: [['honeypot', 'rate[- ]?limit'], ['form']], not: ['captcha', 'limits:\\s*cpu'] };

test('an answer is right if each group of patterns matches, in any case', () => {
  assert.equal(judge('A Honeypot field in the form.', checks).right, true);
  assert.deepEqual(judge('A honeypot field.', checks).missing, [1]);
});

test('a wrong choice makes an answer wrong, a sentence that rejects it does not', () => {
  const answer = 'A honeypot in the form.';
  assert.deepEqual(judge(`${answer} And a captcha.`, checks).wrong, ['captcha']);
  assert.equal(judge(`${answer} No captcha: visitors are old.`, checks).right, true);
  assert.equal(judge(`${answer} Instead of a captcha, a delay.`, checks).right, true);
  assert.equal(judge(`${answer} Do not block links. Use a captcha.`, checks).right, false);
});

test('a wrong choice is found across the lines of code', () => {
  assert.equal(judge('honeypot, form\nlimits:\n  cpu: 200m', checks).right, false);
});

test('right answers are counted by condition, controls apart', () => {
  const task: HelpTask = { id: 'a', prompt: '', needs: [], must: [['yes']] };
  const one = (condition: Answered['condition'], kind: Answered['kind'], answer: string): Answered => ({
    project: 't-01',
    task,
    condition,
    kind,
    tokens: condition === 'none' ? 0 : 100,
    answer,
  });
  const answered = [
    one('none', 'decision', 'no'),
    one('none', 'control', 'yes'),
    one('tidemark', 'decision', 'yes'),
    one('tidemark', 'replaced', 'no'),
    one('tidemark', 'control', 'yes'),
  ];
  const { needed, controls, tokens, kinds } = scoreOf('tidemark', answered);
  assert.deepEqual([needed, controls, tokens], [{ count: 1, of: 2 }, { count: 1, of: 1 }, 100]);
  assert.deepEqual(kinds.get('replaced'), { count: 0, of: 1 });
  assert.deepEqual(scoreOf('none', answered).needed, { count: 0, of: 1 });
});

test('every task names labels of its project, and no check matches its own prompt alone', () => {
  const files = readdirSync(TASKS).filter((file) => /^[a-z]-\d+\.json$/.test(file));
  const projects = labelledProjects(SESSIONS, { projects: files.map((file) => file.replace('.json', '')) });
  const counts = { needed: 0, controls: 0 };
  for (const { name, labels } of projects) {
    const { tasks } = JSON.parse(readFileSync(join(TASKS, `${name}.json`), 'utf8')) as {
      readonly tasks: readonly HelpTask[];
    };
    for (const task of tasks) {
      const known = labels.map(({ id }) => id);
      for (const need of task.needs) assert.ok(known.includes(need), `${name} ${task.id}: ${need}`);
      if (task.needs.length > 0)
        assert.equal(
          judge(task.prompt, task).right,
          false,
          `${name} ${task.id}: the prompt is its own answer`,
        );
      counts[task.needs.length > 0 ? 'needed' : 'controls']++;
    }
  }
  assert.ok(projects.length >= 20);
  assert.ok(counts.needed + counts.controls >= 60);
  assert.ok(counts.controls * 4 >= counts.needed + counts.controls);
});
