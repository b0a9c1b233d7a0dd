import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { placeSessions } from '../../../test/support/agent-sessions.ts';
import { findSessions, sessionSources } from '../../agents/index.ts';
import { EVERYWHERE, openStores, Pauses, Pipeline } from '../../capture/index.ts';
import { placesIn } from '../../core/index.ts';
import { localDistiller } from '../../distill/index.ts';
import { importHistory, type ImportProgress, type ImportReport } from './history-import.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

test('sessions are read newest first, whatever agent they are of', async (t) => {
  const { sources, run } = await open(t);
  // They ended 1, 11, 21, 31 … days ago: three are of the last 30 days.
  const files = findSessions(sources).files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const spread = files.map((_, i) => files[(i * 7) % files.length] ?? files[0]); // agents alternate
  for (const [i, file] of spread.entries()) {
    const at = new Date(Date.now() - (i * 10 + 1) * DAY_MS);
    utimesSync(file?.path ?? '', at, at);
  }
  const seen: ImportProgress[] = [];
  const report = await run({ progress: (facts) => seen.push(facts) });
  assert.deepEqual(
    seen.map(({ agent }) => agent),
    spread.map((file) => file?.agent),
  );
  assert.ok(seen.every(({ recent, total }) => recent === 3 && total === files.length));
  assert.equal(report.done, files.length);
});

test('an import that is paused after each session gives the same as one without a pause', async (t) => {
  const once = await open(t);
  const whole = await once.run({});
  const paused = await open(t);
  let turns = 0;
  for (;;) {
    const stop = new AbortController();
    const report = await paused.run({
      signal: stop.signal,
      progress: ({ turns: n }) => n > 0 && stop.abort(),
    });
    turns += report.turns;
    if (!report.cancelled) break;
  }
  assert.equal(turns, whole.turns);
  assert.ok(turns > 30);
  assert.deepEqual(paused.stored(), once.stored());
});

test('a client whose folder is missing or no folder is left out', async (t) => {
  const { home, run } = await open(t);
  rmSync(join(home, '.cline'), { recursive: true });
  const { agents } = await run({ dryRun: true });
  assert.deepEqual(
    agents.map(({ agent }) => agent),
    ['codex', 'copilot', 'qwen', 'pi', 'gemini'],
  );
});

interface Run {
  readonly signal?: AbortSignal;
  readonly dryRun?: boolean;
  readonly progress?: (progress: ImportProgress) => void;
}

async function open(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'history-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(join(home, 'project'));
  placeSessions(home, join(home, 'project'));
  const { stores } = await openStores(placesIn(join(home, 'data')));
  t.after(() => stores.index.close());
  const scope = EVERYWHERE;
  const pipeline = new Pipeline({
    stores,
    distiller: localDistiller,
    pauses: new Pauses(),
    scope,
    onCaptured: () => {},
  });
  const sources = sessionSources({ HOME: home, CLAUDE_CONFIG_DIR: join(home, '.claude') });
  return {
    home,
    sources,
    run: ({
      signal = new AbortController().signal,
      dryRun = false,
      progress = () => {},
    }: Run): Promise<ImportReport> =>
      importHistory(stores, pipeline, { sources, dryRun, scope, signal }, progress),
    /** Sessions and turns, without the folder that differs. */
    stored: () =>
      stores.index
        .sessions({ limit: Number.MAX_SAFE_INTEGER })
        .map(({ id, agent, status }) => ({
          id,
          agent,
          status,
          turns: stores.index.turnsIn(id).map((turn) => turn.id),
        }))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  };
}
