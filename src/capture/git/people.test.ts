import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { GitRepo } from '../../../test/support/git-repo.ts';
import { peopleIn } from './people.ts';

test('peopleIn returns authors and committers, each once', async (t) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'people-')));
  t.after(() => rmSync(root, { recursive: true }));
  const repo = GitRepo.init(root, root);
  const authors = ['Tove Lindqvist <tove@tide.io>', 'Priya Nair <priya@tide.io>'];
  for (const author of [...authors, ...authors])
    repo.git('commit', '--allow-empty', '-m', 'x', `--author=${author}`);
  const names = (await peopleIn(root)).map(({ name, email }) => `${name} <${email}>`);
  assert.deepEqual(names.toSorted(), [...authors, 'a <a@example.org>'].toSorted());
});

test('a folder that is no repository has no people', async (t) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'people-')));
  t.after(() => rmSync(root, { recursive: true }));
  assert.deepEqual(await peopleIn(root), []);
});
