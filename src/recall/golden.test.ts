/** Injected texts and lines for the user as readable files. `UPDATE_GOLDEN=1` writes them again. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import * as conversations from '../../test/support/past-conversations.ts';
import { NOW, PROJECT, fixtureIndex } from '../../test/support/recall-fixture.ts';
import { brief } from './context/brief.ts';
import { fileContext } from './context/file-context.ts';
import { promptContext } from './context/prompt-context.ts';
import * as rich from '../../test/support/rich-project.ts';

const index = fixtureIndex();
after(() => index.close());

const prompt = (text: string, first: boolean) =>
  promptContext(index, {
    project: PROJECT,
    prompt: text,
    session: 'new',
    now: NOW,
    already: [],
    first,
    branch: 'main',
  });

test('the brief of a project with three sessions', () => {
  const found = brief(index, { project: PROJECT, now: NOW, branch: 'main' });
  assert.ok(found);
  golden('brief', found.text, found.line);
});

test('the brief of a project after months of work', () => {
  const other = rich.richIndex();
  const found = brief(other, { project: rich.PROJECT, now: rich.NOW, branch: 'main' });
  other.close();
  assert.ok(found);
  golden('brief-rich', found.text, found.line);
});

for (const moment of ['read', 'edit'] as const)
  test(`${moment === 'read' ? 'the first read' : 'an edit'} of a file with a decision, a dead end and an open issue`, () => {
    const other = rich.richIndex();
    const found = fileContext(other, {
      moment,
      project: rich.PROJECT,
      files: ['src/import/csv.ts'],
      session: 'new',
      now: rich.NOW,
      already: new Set(),
      branch: 'main',
    });
    other.close();
    golden(moment, found.text, found.line);
  });

test('a brief on a tight budget has the most important parts', () => {
  const found = brief(index, { project: PROJECT, now: NOW, branch: 'main', budgetTokens: 400 });
  assert.ok(found);
  golden('brief-tight', found.text, found.line);
});

test('the first prompt of a session', () => {
  const found = prompt('The build got slow again, can we look at the esbuild setup and the SVG icons?', true);
  golden('first-prompt', found.text, found.line);
});

test('a later prompt', () => {
  const found = prompt('Why do webhook signatures fail in staging?', false);
  golden('later-prompt', found.text, found.line);
});

test('a prompt that no memory matches, but a conversation does', () => {
  const other = conversations.conversationIndex();
  const found = promptContext(other, {
    project: conversations.PROJECT,
    prompt: conversations.ABOUT_REFUNDS,
    session: 'new',
    now: conversations.NOW,
    already: [],
    first: true,
  });
  other.close();
  golden('past-session', found.text, found.line);
});

function golden(name: string, text: string, line: string): void {
  const file = join('src', 'recall', 'golden', `${name}.md`);
  const actual = `${text}\n\n---\n\n${line}\n`;
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, actual);
  assert.equal(actual, readFileSync(file, 'utf8'));
}
