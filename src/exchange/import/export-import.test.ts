import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStores } from '../../capture/index.ts';
import { AGENTS, placesIn, SUMMARY_FIELDS } from '../../core/index.ts';
import { importExport } from './export-import.ts';

test('an imported session keeps its agent, its branch and its summary', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'export-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const places = placesIn(join(home, 'data'));
  const { stores } = await openStores(places);
  t.after(() => stores.index.close());
  const [project, startedAt, title] = ['sample', '2026-11-01T10:00:00.000Z', 'A session'];
  const summary = Object.fromEntries(SUMMARY_FIELDS.map((field) => [field, `what was ${field}`]));
  const records = [
    { record: 'tidemark-export', format: 1 },
    { record: 'project', id: project, name: 'sample', keys: [] },
    ...AGENTS.map((agent) => ({
      record: 'session',
      project,
      id: `of-${agent}`,
      agent,
      branch: `b-${agent}`,
      startedAt,
      title,
      status: 'completed',
      ...(agent === AGENTS[1] ? { summary } : {}),
    })),
    {
      record: 'turn',
      turn: {
        id: 't1',
        session: `of-${AGENTS[0]}`,
        project,
        agent: AGENTS[0],
        startedAt,
        endedAt: startedAt,
        prompt: 'Please draw the seats.',
        answer: 'Drawn.',
        tools: [],
        outcome: 'answered',
        origin: 'person',
        messages: ['t1'],
      },
    },
  ];
  const path = join(home, 'export.jsonl');
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  await importExport(stores, places, path, () => {}, new AbortController().signal);
  assert.deepEqual(
    AGENTS.map((one) => stores.index.session(`of-${one}`)).map((found) => [found?.agent, found?.branch]),
    AGENTS.map((one) => [one, `b-${one}`]),
  );
  assert.equal(stores.index.session(`of-${AGENTS[0]}`)?.summary?.request, 'Please draw the seats.');
  assert.deepEqual(stores.index.session(`of-${AGENTS[1]}`)?.summary, summary);
});
