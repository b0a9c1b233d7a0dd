import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { FIXTURE_MEMORIES, fixtureIndex } from '../../../test/support/recall-fixture.ts';
import type { Memory, MemoryKind } from '../../core/index.ts';
import { momentLines } from './moments.ts';

const index = fixtureIndex();
after(() => index.close());

function memory(kind: MemoryKind, title: string, file: string): Memory {
  const [template] = FIXTURE_MEMORIES;
  assert.ok(template);
  return { ...template, id: `${kind} ${title}`, kind, title, files: [file] };
}

const lines = (memories: readonly Memory[]) => momentLines(index, memories).map(({ text }) => text());

test('a moment names the part of the project, its words and the kinds', () => {
  const found = lines([
    memory('decision', 'Invoices are rounded per position', 'src/billing/round.ts'),
    memory('dead_end', 'Invoices rounded in the template', 'src/billing/xslt.ts'),
    memory('preference', 'Routes avoid ferries', 'src/routes/plan.ts'),
  ]);
  assert.equal(found.length, 2);
  assert.match(
    found[0] ?? '',
    /^- Before you change billing \(invoices, rounded, .*\): 1 decision, 1 dead end$/,
  );
  assert.match(found[1] ?? '', /^- Before you change routes \(.*\): 1 preference$/);
});

test('a brief that leaves out hardly anything names no moments', () => {
  assert.deepEqual(lines([memory('decision', 'Routes avoid ferries', 'src/routes/plan.ts')]), []);
});
