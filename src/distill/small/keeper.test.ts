import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { sampleTurn } from '../../../test/support/sample-turn.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { openStores, storeTurn } from '../../capture/index.ts';
import { placesIn, SMALL_MAKER } from '../../core/index.ts';
import { KEEP_KINDS, type KeepScore, type Passage } from '../../models/index.ts';
import type { Stores } from '../../memory/index.ts';
import { localDistiller } from '../rules/local.ts';
import { keepCounts, Keeper, type KeepCounts, type KeepModel } from './keeper.ts';

const DECISION = 'We use pg-boss for the job queue, because Redis is one more server.';

test('turns that the rules distilled are read once, oldest first within a session', async (t) => {
  const stage = await openStage(t);
  for (const turn of ['1', '2', '3']) await stage.store(turn);
  stage.keeper.wake();
  await stage.done();
  assert.deepEqual(stage.read, ['1', '2', '3']);
  assert.equal(stage.told.filter(([told]) => told === 'kept').length, 3);
  const { index } = stage.stores;
  for (const turn of ['1', '2', '3']) assert.equal(index.distilledBy(turn), SMALL_MAKER);
  stage.keeper.wake();
  await stage.done();
  assert.equal(stage.read.length, 3, 'none is read again');
  assert.deepEqual(
    stage.told.flatMap(([what, facts]) => (what === 'keeping' ? [facts] : [])),
    [{ working: true }, { working: false }],
  );
  assert.ok(!existsSync(stage.file));
});

test('without a model nothing is read, and the turns wait', async (t) => {
  const stage = await openStage(t);
  await stage.store('1');
  stage.choice = { kind: 'none', why: 'not installed', next: 'tidemark doctor' };
  stage.keeper.wake();
  await stage.done();
  assert.equal(stage.stores.index.distilledBy('1'), localDistiller.name);
  assert.deepEqual([stage.counts.waiting, stage.told], [1, []]);
});

test('a turn that fails twice is passed with the reason, and the others are read', async (t) => {
  const stage = await openStage(t);
  for (const turn of ['1', 'bad', '3']) await stage.store(turn);
  stage.keeper.wake();
  await stage.done();
  assert.deepEqual(
    stage.read.filter((turn) => turn === 'bad'),
    ['bad', 'bad'],
  );
  const { index } = stage.stores;
  assert.deepEqual([index.distilledBy('3'), index.distilledBy('bad')], [SMALL_MAKER, localDistiller.name]);
  assert.deepEqual(stage.counts, { waiting: 0, passed: { 'cannot read this': 1 } });
  assert.deepEqual(stage.state, { working: false });
});

test('a turn that changes while it is read is read again, however often, and not passed', async (t) => {
  const stage = await openStage(t);
  await stage.store('1');
  const texts = ['First.', 'Second.', 'Third.'];
  stage.onRead = async (turn) => {
    const more = texts.shift();
    if (more) await stage.store(turn, 'session-1', more);
  };
  stage.keeper.wake();
  await stage.done();
  assert.equal(stage.read.length, 4);
  assert.equal(stage.stores.index.distilledBy('1'), SMALL_MAKER);
  assert.deepEqual(stage.counts, { waiting: 0, passed: {} });
});

test('the time of a turn does not pass while another task uses the stores alone', async (t) => {
  const stage = await openStage(t);
  await stage.store('1');
  stage.beforeUse = () => stage.told.push(['wait', {}]);
  stage.keeper.wake();
  await stage.done();
  const clock = stage.told.map(([what]) => what).filter((what) => /^(wait|reading|read)$/.test(what));
  for (const [i, what] of clock.entries())
    if (what === 'wait') assert.notEqual(clock[i - 1], 'reading', clock.join(' '));
  assert.equal(clock.filter((what) => what === 'reading').length, 2, 'before the model and after it');
  assert.equal(clock.at(-1), 'wait', 'the last one looks for work');
});

test('a model that does not work at all passes no turn', async (t) => {
  const stage = await openStage(t);
  await stage.store('1');
  stage.broken = true;
  stage.keeper.wake();
  await stage.done();
  assert.deepEqual(stage.counts, { waiting: 1, passed: {} });
  assert.deepEqual(stage.state, { working: false, trouble: 'no such file' });
});

test('a model that is switched off meanwhile has not failed, and is used once it is on again', async (t) => {
  const stage = await openStage(t);
  await stage.store('1');
  const { choice } = stage;
  stage.onRead = async () => {
    stage.choice = { kind: 'none', why: 'disabled', next: '' };
    stage.broken = true;
    throw new Error('disabled');
  };
  stage.keeper.wake();
  await stage.done();
  assert.deepEqual([stage.counts, stage.state], [{ waiting: 1, passed: {} }, { working: false }]);
  Object.assign(stage, { choice, broken: false, onRead: async () => {} });
  stage.keeper.wake();
  await stage.done();
  assert.equal(stage.stores.index.distilledBy('1'), SMALL_MAKER);
});

test('stopping ends the turn under way at once, and the next keeper reads it', async (t) => {
  const stage = await openStage(t);
  await stage.store('endless');
  stage.keeper.wake();
  await waitFor('the model to be asked', () => stage.read.length > 0);
  await stage.keeper.stop();
  assert.equal(stage.stores.index.keepableCount(), 1);
  assert.ok(!existsSync(stage.file), 'an orderly end counts as no failure');
  stage.endless = false;
  const next = stage.open();
  next.wake();
  await stage.done(next);
  assert.equal(stage.stores.index.distilledBy('endless'), SMALL_MAKER);
});

test('a turn captured meanwhile is read before the rest of the queue', async (t) => {
  const stage = await openStage(t);
  for (const turn of ['1', '2']) await stage.store(turn, 'older');
  stage.onRead = async (turn) => {
    if (turn !== '1') return;
    await stage.store('new', 'newer');
    stage.keeper.wake();
  };
  stage.keeper.wake();
  await stage.done();
  assert.deepEqual(stage.read, ['1', 'new', '2']);
});

test('a turn that was begun and never ended is read after the others', async (t) => {
  const stage = await openStage(t);
  for (const turn of ['1', '2', '3']) await stage.store(turn);
  writeFileSync(stage.file, JSON.stringify({ turn: '1', times: 1 }));
  const next = stage.open();
  next.wake();
  await stage.done(next);
  assert.deepEqual(stage.read, ['2', '3', '1']);
});

test('a turn that ended the daemon five times is passed', async (t) => {
  const stage = await openStage(t);
  await stage.store('1');
  writeFileSync(stage.file, JSON.stringify({ turn: '1', times: 4 }));
  const fifth = stage.open();
  fifth.wake();
  await stage.done(fifth);
  assert.equal(stage.stores.index.distilledBy('1'), SMALL_MAKER, 'the fifth start may work');

  await stage.store('2');
  writeFileSync(stage.file, JSON.stringify({ turn: '2', times: 5 }));
  const sixth = stage.open();
  sixth.wake();
  await stage.done(sixth);
  assert.deepEqual(stage.counts.passed, { interrupted: 1 });
});

async function openStage(t: TestContext): Promise<Stage> {
  const home = mkdtempSync(join(tmpdir(), 'keeper-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const { stores } = await openStores(placesIn(home));
  t.after(() => stores.index.close());
  return new Stage(stores, join(home, 'keeping.json'));
}

/** Stores, a keeper, and a model that decides by the words of a turn. */
class Stage {
  readonly stores: Stores;
  readonly file: string;
  readonly keeper: Keeper;
  /** The turns that the model was asked about. */
  readonly read: string[] = [];
  readonly told: (readonly [string, object])[] = [];
  choice: KeepModel;
  broken = false;
  endless = true;
  /** The turn that the model cannot read. */
  bad = 'bad';
  /** Called when the keeper begins to wait for the stores. */
  beforeUse: () => void = () => {};
  onRead: (turn: string) => Promise<void> = async () => {};
  #at = Date.parse('2026-03-01T10:00:00Z');

  constructor(stores: Stores, file: string) {
    this.stores = stores;
    this.file = file;
    this.choice = {
      kind: 'model',
      model: {
        version: 'small-0',
        keep: (passages, signal) => this.#keep(passages, signal),
        relate: async (inputs) => inputs.map(() => ({ nothing: 1, same: 0, supersedes: 0, resolves: 0 })),
        read: async () => [],
      },
    };
    this.keeper = this.open();
  }

  get counts(): KeepCounts {
    return keepCounts(this.stores.index);
  }

  /** The last state that the keeper told. */
  get state(): object | undefined {
    return this.told.findLast(([what]) => what === 'keeping')?.[1];
  }

  open(): Keeper {
    return new Keeper({
      use: async (work) => {
        this.beforeUse();
        return work(this.stores);
      },
      model: async () => this.choice,
      file: this.file,
      tell: (what, facts) => this.told.push([what, facts]),
    });
  }

  async done(keeper = this.keeper): Promise<void> {
    await waitFor('the keeper to be done', () => !keeper.busy);
  }

  async store(id: string, session = 'session-1', more = ''): Promise<void> {
    const startedAt = new Date((this.#at += 60_000)).toISOString();
    const turn = { id, session, startedAt, endedAt: startedAt, messages: [id] };
    const texts = {
      prompt: `${DECISION} (turn ${id})`,
      answer: `Done. The queue of turn ${id} uses it. ${more}`,
    };
    const project = 'engine-abc123';
    await storeTurn(this.stores, localDistiller, sampleTurn({ ...turn, ...texts }), { project });
  }

  async #keep(passages: readonly Passage[], signal: AbortSignal): Promise<readonly (readonly KeepScore[])[]> {
    if (this.broken) throw new Error('no such file');
    const [turn] = passages.flatMap(({ sentences }) => /turn (\w+)/.exec(sentences.join('\n'))?.[1] ?? []);
    if (turn) {
      this.read.push(turn);
      await this.onRead(turn);
    }
    if (turn === this.bad) throw new Error('cannot read this');
    if (turn === 'endless' && this.endless)
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const kinds = Object.fromEntries(KEEP_KINDS.map((kind) => [kind, kind === 'decision' ? 1 : 0]));
    return passages.map(({ sentences }) =>
      sentences.map((text) => ({
        keep: text.includes('pg-boss') ? 1 : 0,
        kinds: kinds as KeepScore['kinds'], // from KEEP_KINDS
      })),
    );
  }
}
