import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { OpenCodeDatabase, readExport } from '../../test/support/opencode-database.ts';
import { placesIn, type HookName, type SpooledEvent } from '../core/index.ts';
import { localDistiller } from '../distill/index.ts';
import { openStores } from './open-stores.ts';
import { Pauses } from './pauses.ts';
import { Pipeline } from './pipeline.ts';
import { EVERYWHERE } from './projects/projects.ts';
import { sweep } from './sweep.ts';
import { UnfinishedReads } from './unfinished-reads.ts';

const MAIN = readExport('main');
const FORK = readExport('fork');

test('a session in a database is stored with its end, and a fork of it stores only its own turn', async (t) => {
  const { database, stores, process } = await open(t);
  for (const session of [MAIN, FORK]) {
    database.add(session);
    for (const name of ['SessionStart', 'Stop', 'SessionEnd'] as const)
      assert.equal(await process(name, session.info.id), 'done');
  }
  const prompts = (session: string): readonly string[] =>
    stores.index.turnsIn(session).map(({ at, outcome }) => `${at} ${outcome}`);
  assert.deepEqual(prompts(MAIN.info.id), [
    '2026-11-16T04:04:39.754Z answered',
    '2026-11-16T04:05:42.073Z answered',
  ]);
  assert.deepEqual(prompts(FORK.info.id), ['2026-11-16T04:06:05.835Z answered']);
  assert.equal(stores.index.session(MAIN.info.id)?.agent, 'opencode');
  assert.equal(stores.index.session(FORK.info.id)?.status, 'completed');
});

test('a Stop waits until the client has written the turn', async (t) => {
  const { database, stores, process } = await open(t);
  const writes = database.writes({ ...MAIN, messages: MAIN.messages.slice(0, 5) });
  const stopped: string[] = [];
  for (const _ of writes) stopped.push(await process('Stop', MAIN.info.id));
  assert.equal(stopped.at(-1), 'done');
  assert.ok(stopped.slice(0, -1).every((result) => result === 'too-early'));
  assert.equal(stores.index.turnsIn(MAIN.info.id).length, 1);
});

test('the sweep reads on after a damaged database', async (t) => {
  const { database, stores, pipeline, process, folder } = await open(t);
  const other = new OpenCodeDatabase(join(folder, 'opencode-other.db'));
  for (const [at, session] of [
    [other, FORK],
    [database, MAIN],
  ] as const) {
    const [first] = at.writes(session);
    assert.equal(first, undefined);
    await process('SessionStart', session.info.id, at.path);
  }
  other.close();
  writeFileSync(other.path, 'damaged');
  for (const message of MAIN.messages) database.put(MAIN.info.id, message);
  const problems: string[] = [];
  const options = {
    now: new Date('2026-11-16T04:20:00.000Z'),
    reads: new UnfinishedReads({ file: join(folder, 'reads.json') }),
    onProblem: (path: string, error: unknown) => problems.push(`${path} ${String(error)}`),
  };
  assert.equal((await sweep(stores, pipeline, options)).read, 1);
  assert.equal(stores.index.turnsIn(MAIN.info.id).length, 2);
  assert.match(problems[0] ?? '', /opencode-other\.db#.*the database is damaged/);
});

async function open(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'database-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const cwd = join(folder, 'project');
  mkdirSync(cwd);
  const { stores } = await openStores(placesIn(join(folder, 'data')));
  t.after(() => stores.index.close());
  const database = new OpenCodeDatabase(join(folder, 'opencode.db'));
  t.after(() => database.close());
  const pipeline = new Pipeline({
    stores,
    distiller: localDistiller,
    pauses: new Pauses(),
    scope: EVERYWHERE,
    env: {},
    onCaptured: () => {},
  });
  const process = (name: HookName, session: string, path = database.path): Promise<string> => {
    const event: SpooledEvent = {
      id: `${session} ${name}`,
      at: new Date().toISOString(),
      agent: 'opencode',
      projectDir: cwd,
      input: { session_id: session, hook_event_name: name, cwd, transcript_path: `${path}#${session}` },
    };
    return pipeline.process(event, false);
  };
  return { folder, database, stores, pipeline, process };
}
