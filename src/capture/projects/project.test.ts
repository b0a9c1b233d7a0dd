import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namedProject } from './project.ts';

const slug = (name: string) => namedProject('tool', name).id.replace(/-[^-]+$/, '');

test('an id begins with the name in plain Latin letters', () => {
  assert.equal(slug('My Project_2'), 'my-project-2');
  assert.equal(slug('Größe-Café'), 'grosse-cafe');
  assert.equal(slug('Łódź Ærø'), 'lodz-aero');
  assert.equal(slug('ﬁle … ２'), 'file-2');
});

test('letters of other scripts stay', () => {
  assert.equal(slug('支払い ガイド'), '支払い-ガイド');
  assert.equal(slug('결제 v2'), '결제-v2');
  assert.equal(slug('Платёж'), 'платёж');
  assert.equal(slug('हिन्दी'), 'हिन्दी');
});

test('a name is cut between letters, and one without any is a project', () => {
  assert.equal(slug('𠮷'.repeat(60)), '𠮷'.repeat(40));
  assert.equal(slug('../..'), 'project');
  assert.equal(slug('🚀'), 'project');
});
