import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { NOW, PROJECT, fixtureIndex, idOf } from '../../../test/support/recall-fixture.ts';
import { shortId, type Memory } from '../../core/index.ts';
import { brief } from '../context/brief.ts';
import { promptContext } from '../context/prompt-context.ts';
import { search } from '../search.ts';
import {
  byNameOnly,
  changeNote,
  openedFactor,
  type BranchNow,
  type FileChange,
  type Signals,
} from './signals.ts';

const index = fixtureIndex();
after(() => index.close());

const TITLE = 'Webhook signature check needs the raw body';
const WEBHOOK = idOf(TITLE);
const query = 'webhook signature raw body';

function signals(known: {
  readonly changes?: readonly FileChange[];
  readonly branch?: BranchNow;
  readonly opened?: number;
}): Signals {
  const isIt = (memory: Memory): boolean => memory.id === WEBHOOK;
  return {
    files: (memory) =>
      isIt(memory) && known.changes ? { known: 2, changes: known.changes } : { known: 0, changes: [] },
    branch: (memory) => (isIt(memory) ? (known.branch ?? 'here') : 'here'),
    opened: () => new Map(known.opened ? [[WEBHOOK, known.opened]] : []),
  };
}

const found = (given: Signals) => {
  const hit = search(index, query, { now: NOW, project: PROJECT, signals: given }).considered.find(
    ({ memory }) => memory.id === WEBHOOK,
  );
  assert.ok(hit);
  return hit;
};
const plain = found(signals({}));
const part = (given: Signals, name: string): number | undefined =>
  found(given).parts.find((one) => one.name === name)?.factor;

test('changed files lower the score a little, are listed, and do not change the evidence', () => {
  const changes = [{ file: 'src/app.ts', how: 'changed' as const }];
  const hit = found(signals({ changes }));
  assert.deepEqual(hit.changes, changes);
  assert.ok(hit.score < plain.score && hit.score > plain.score * 0.9);
  assert.equal(hit.evidence, plain.evidence);
  assert.equal(part(signals({ changes }), 'files changed'), 0.95);
  assert.equal(part(signals({ changes: [{ file: 'src/app.ts', how: 'gone' }] }), 'files gone'), 0.9);
});

test('unchanged files do not change the score', () => {
  assert.equal(found(signals({ changes: [] })).score, plain.score);
});

test('an unmerged branch lowers the score, unless its files are unchanged here', () => {
  const away = signals({ branch: 'unmerged' });
  assert.equal(part(away, 'branch not merged'), 0.88);
  assert.equal(part(signals({ branch: 'unknown' }), 'other branch'), 0.95);
  assert.equal(found(signals({ branch: 'unmerged', changes: [] })).score, plain.score, 'a squashed branch');
  assert.ok(
    found(signals({ branch: 'unmerged', changes: [{ file: 'src/app.ts', how: 'changed' }] })).score <
      plain.score,
  );
});

test('an opened memory ranks a little higher, within its bounds', () => {
  assert.equal(openedFactor(0), 1);
  assert.ok(openedFactor(1) > 1);
  assert.ok(openedFactor(1000) <= 1.05);
  assert.ok((part(signals({ opened: 3 }), 'opened') ?? 1) > 1);
  assert.ok(found(signals({ opened: 9 })).score <= 1);
});

test('prompt and brief contain the note about changed files', () => {
  const given = signals({ changes: [{ file: 'src/app.ts', how: 'changed' }] });
  const options = { project: PROJECT, session: 'new', now: NOW, already: [], first: true, signals: given };
  const { text } = promptContext(index, {
    ...options,
    prompt: 'Why does the webhook signature check need the raw body?',
  });
  assert.match(text, /Check first: src\/app\.ts changed since\./);
  const decision = idOf('Build with esbuild, not webpack');
  const stale: Signals = {
    ...byNameOnly(undefined),
    files: ({ id }) => ({
      known: 1,
      changes: id === decision ? [{ file: 'package.json', how: 'gone' }] : [],
    }),
  };
  assert.match(
    brief(index, { project: PROJECT, now: NOW, signals: stale })?.text ?? '',
    new RegExp(`${shortId(decision)}; package\\.json is gone\\)`),
  );
});

test('a note names two files and counts the rest', () => {
  assert.equal(changeNote([]), '');
  const changes = ['a.ts', 'b.ts', 'c.ts', 'd.ts'].map((file) => ({ file, how: 'changed' as const }));
  assert.equal(changeNote(changes), 'a.ts changed since, b.ts changed since, 2 more changed');
});
