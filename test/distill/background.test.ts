/** A model improves local memories in the background: once, within the ceilings, and without losing any. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { DistillReport } from '../../src/distill/index.ts';
import type { Machine } from '../support/machine.ts';
import { readJournal, readLedger } from '../support/stores.ts';
import { waitFor } from '../support/wait-for.ts';
import { chatReply, said, startApi } from './_api-stand-in.ts';
import { MEMORY } from './_driver-stage.ts';
import { ANSWER, DECISION, machineAsking, PlayedSession, recorded } from './_played-session.ts';

const BETTER = {
  ...MEMORY,
  title: 'The parser cache lies on disk',
  reason: 'small machines run out of memory',
};

test('local memories exist at once; the model improves them and keeps their ids', async (t) => {
  const api = await startApi(t, [{ body: chatReply([BETTER]) }]);
  const machine = machineAsking(t, api);
  await machine.up();
  const session = new PlayedSession(machine);
  await session.start();
  const { id: turn } = await session.turn();
  await recorded(machine, 'distilled', ({ by }) => by === 'local');
  const byLocal = readLedger(machine.places).flatMap(({ kind, memories }) =>
    kind === 'distilled' ? memories : [],
  );
  await recorded(machine, 'distilled', ({ by }) => by === 'api');
  const { memories, problems } = readJournal(machine.places);
  assert.deepEqual(problems, []);
  const better = memories.find(({ title }) => title === BETTER.title);
  assert.ok(better, machine.logs());
  assert.ok(byLocal.includes(better.id), 'the id is the one local gave');
  assert.equal(better.provenance.by, 'api');
  assert.equal(better.provenance.turn, turn);
  const [request] = api.requests;
  assert.match(request?.body.messages.at(-1)?.content ?? '', /parser cache on disk/);

  await t.test('what it cost is in the ledger, and `tidemark cost` shows it', async () => {
    const cost = await recorded(machine, 'cost');
    assert.equal(cost['inputTokens'], 1200);
    assert.equal(cost['turn'], turn);
    const { stdout } = await machine.cli(['cost', '--by', 'session', '--json']);
    const { total, rows } = JSON.parse(stdout) as { total: { usd: number }; rows: { key: string }[] };
    assert.equal(rows[0]?.key, session.id);
    assert.ok(total.usd > 0);
  });

  await t.test('the same again asks nothing', async () => {
    const before = api.requests.length;
    await machine.call('sweep', {});
    const report = await machine.call('distill', { since: '2000-01-01' });
    assert.equal(report.turns, 0);
    assert.equal(api.requests.length, before);
  });

  await t.test('the index can be made again, cost included', async () => {
    const before = await machine.call('read.cost', { by: 'day' });
    await machine.call('reindex', {});
    assert.deepEqual(await machine.call('read.cost', { by: 'day' }), before);
    const report = await machine.call('distill', { since: '2000-01-01' });
    assert.equal(report.turns, 0, 'nothing is asked twice');
  });
});

test('without consent nothing is sent; `distill` prints the cost, and sends with --yes', async (t) => {
  const api = await startApi(t, [{ body: chatReply([BETTER]) }]);
  const machine = machineAsking(t, api, { TIDEMARK_DISTILL_CONSENT: 'false' });
  await machine.up();
  const session = new PlayedSession(machine);
  await session.start();
  await session.turn();
  await machine.drained();
  const dry = await machine.cli(['distill', '--dry-run']);
  assert.match(dry.stdout, /1 turn made without a language model.*tokens, \$0\.\d+/s, dry.stderr);
  const refused = await machine.cli(['distill']);
  assert.equal(refused.code, 1);
  assert.match(refused.stdout, /distill\.consent/);
  assert.equal(api.requests.length, 0);
  const agreed = await machine.cli(['distill', '--yes', '--json']);
  assert.equal((JSON.parse(agreed.stdout) as DistillReport).improved, 1, agreed.stderr);
  assert.equal(api.requests.length, 1);
});

test('a memory that the model left out is superseded, not deleted; one the user edited stays', async (t) => {
  const api = await startApi(t, [{ hang: true }]);
  const machine = machineAsking(t, api, { TIDEMARK_DISTILL_CONSENT: 'false' });
  await machine.up();
  const session = new PlayedSession(machine);
  await session.start();
  await session.turn();
  await session.turn(
    'Always use pnpm in this repository, never npm.',
    'Understood: pnpm it is, from now on and everywhere.',
  );
  await machine.drained();
  const before = readJournal(machine.places);
  const edited = before.memories.find(({ kind }) => kind === 'preference');
  const [path, text] = [...before.files][0] ?? ['', ''];
  assert.ok(edited, text);
  writeFileSync(join(machine.places.journal, path), text.replace(edited.title, 'Only pnpm, says Ada'));
  await waitFor('the edit to be taken in', async () => {
    const shown = machine.call('read.show', { ids: [edited.id] });
    const [entry] = await shown.catch(() => []); // an editor empties the file before it writes
    return entry?.memory.title === 'Only pnpm, says Ada';
  });
  const patterns = ['Package managers are pinned by lockfiles', 'Caches are kept on disk below .cache'];
  api.script = patterns.map((title) => ({
    body: chatReply([{ ...BETTER, kind: 'pattern', title, body: title }]),
  }));
  await machine.call('distill', { since: '2000-01-01', agreed: true });
  const after = readJournal(machine.places);
  assert.deepEqual(after.problems, []);
  for (const memory of before.memories) {
    const now = after.memories.find(({ id }) => id === memory.id);
    assert.equal(now?.state, 'superseded', memory.title);
    assert.equal(now?.ended?.turn, memory.provenance.turn, 'ended by its own turn');
    // A claim of the model takes no place of what the user said, so it may name no successor.
    if (now.supersededBy) assert.ok(after.memories.some(({ id }) => id === now.supersededBy));
  }
  assert.equal(after.memories.find(({ id }) => id === edited.id)?.title, 'Only pnpm, says Ada');
  const [entry] = await machine.call('read.show', {
    ids: [edited.id],
  });
  assert.deepEqual([entry?.memory.title, entry?.memory.state], ['Only pnpm, says Ada', 'superseded']);
});

test('a model does not restore a memory that the user deleted', async (t) => {
  const api = await startApi(t, [{ body: chatReply([BETTER]) }]);
  const machine = machineAsking(t, api, { TIDEMARK_DISTILL_CONSENT: 'false' });
  await machine.up();
  const session = new PlayedSession(machine);
  await session.start();
  await session.turn();
  await machine.drained();
  const { memories } = readJournal(machine.places);
  await machine.call('forget', { ids: memories.map(({ id }) => id) });
  await machine.call('distill', { since: '2000-01-01', agreed: true });
  assert.deepEqual(
    readJournal(machine.places).memories.filter(({ state }) => state !== 'superseded'),
    [],
  );
});

test('a memory forgotten during a request does not come back, and the reply is not stored', async (t) => {
  const forgotten = Promise.withResolvers<void>();
  const api = await startApi(t, [{ body: chatReply([BETTER]), after: forgotten.promise }]);
  const machine = machineAsking(t, api);
  await machine.up();
  const session = new PlayedSession(machine);
  await session.start();
  await session.turn();
  await waitFor('the request', () => api.requests.length === 1, { explain: () => machine.logs() });
  const { memories } = readJournal(machine.places);
  await machine.call('forget', { ids: memories.map(({ id }) => id), now: true });
  forgotten.resolve();
  await recorded(machine, 'cost');
  await waitFor('the model to be done with', () =>
    readFileSync(machine.places.log, 'utf8').includes('improved'),
  );
  assert.deepEqual(
    readLedger(machine.places).filter(({ kind }) => kind === 'reply'),
    [],
  );
  assert.deepEqual(readJournal(machine.places).memories, []);
});

test('an invalid reply is requested again, then the local memory stays and doctor reports it', async (t) => {
  const api = await startApi(t, [{ body: said('I am a teapot') }]);
  const machine = machineAsking(t, api);
  await machine.up();
  const session = new PlayedSession(machine);
  await session.start();
  const { id } = await session.turn();
  const passed = await recorded(machine, 'passed');
  assert.deepEqual([passed['turn'], passed['reason']], [id, 'invalid-reply']);
  assert.equal(api.requests.length, 4, 'once, and again after 1, 2 and 4 seconds');
  const ledger = readLedger(machine.places);
  assert.equal(
    ledger.filter(({ kind }) => kind === 'cost').length,
    4,
    'what was of no use cost something too',
  );
  assert.deepEqual(
    ledger.filter(({ kind }) => kind === 'distilled').map(({ by }) => by),
    ['local'],
  );
  assert.ok(readJournal(machine.places).memories.length > 0, 'the memories of local are there');
  const { stdout } = await machine.cli(['doctor']);
  assert.match(stdout, /failed in the last week, so the driver local was used: invalid-reply 1/);

  api.script = [{ body: chatReply([BETTER]) }];
  const report = await machine.call('distill', { since: '2000-01-01' });
  assert.equal(report.improved, 1, 'and it can be tried again');
});

test('a daemon that dies during a request sends it again after a restart', async (t) => {
  const api = await startApi(t, [{ hang: true }]);
  const machine = machineAsking(t, api);
  await machine.up();
  const session = new PlayedSession(machine);
  await session.start();
  await session.turn();
  await waitFor('the request', () => api.requests.length === 1, { explain: () => machine.logs() });
  await machine.killDaemons();
  api.script = [{ hang: true }, { body: chatReply([BETTER]) }];
  await machine.up();
  await recorded(machine, 'distilled', ({ by }) => by === 'api');
  assert.equal(api.requests.length, 2);
});

test('a daemon that is asked to stop does so at once, and the turn stays queued', async (t) => {
  const api = await startApi(t, [{ hang: true }]);
  const machine = machineAsking(t, api);
  await machine.up();
  const session = new PlayedSession(machine);
  await session.start();
  await session.turn();
  await waitFor('the request', () => api.requests.length === 1, { explain: () => machine.logs() });
  await machine.stopDaemon();
  assert.deepEqual(
    readLedger(machine.places).filter(({ kind }) => kind === 'passed'),
    [],
  );
});

test('an event and the brief never wait for a model', async (t) => {
  const api = await startApi(t, [{ hang: true }]);
  const machine = machineAsking(t, api);
  await machine.up();
  const session = new PlayedSession(machine);
  await session.start();
  await session.turn();
  await waitFor('the request', () => api.requests.length === 1, { explain: () => machine.logs() });
  const next = new PlayedSession(machine, 'two');
  const brief = String(await next.start());
  assert.match(brief, /parser cache/, 'the local memory is in the brief while the model is still asked');
});

test('at the daily limit no request is made, and the user gets one notice', async (t) => {
  const api = await startApi(t, [
    { body: chatReply([BETTER], { prompt_tokens: 9000, completion_tokens: 500 }) },
  ]);
  const machine = machineAsking(t, api, { TIDEMARK_DISTILL_DAILY_TOKENS: '12000' });
  await machine.up();
  const session = new PlayedSession(machine);
  await session.start();
  await session.turn();
  await recorded(machine, 'distilled', ({ by }) => by === 'api');
  await session.turn(DECISION.replace('parser', 'lexer'), ANSWER.replaceAll('parser', 'lexer'));
  await waitFor('the limit to be reached', () =>
    readFileSync(machine.places.log, 'utf8').includes('limit for language models'),
  );
  const { said: told } = await session.turn(
    'And the linker cache, please, likewise on disk.',
    'Done, the linker cache too.',
  );
  assert.match(told, /today's limit for language models is reached/);
  const { said: again } = await session.turn(
    'Thanks, that is all there is to do today.',
    'You are welcome, see you tomorrow.',
  );
  assert.doesNotMatch(again, /limit for language models/);
  assert.equal(api.requests.length, 1);
  const health = await machine.call('distill.health', {});
  assert.ok(health.waiting >= 1, 'they wait for tomorrow');
});

test('what a model remembered is named with the next prompt, once', async (t) => {
  const api = await startApi(t, [{ body: chatReply([BETTER]) }, { body: chatReply([]) }]);
  const machine = machineAsking(t, api);
  await machine.up();
  const session = new PlayedSession(machine);
  await session.start();
  const { said: atStop } = await session.turn();
  assert.doesNotMatch(atStop, /Remembered/, 'nothing is stored yet');
  await recorded(machine, 'distilled', ({ by }) => by === 'api');
  const answers: string[] = [];
  const ask = async (): Promise<boolean> => {
    answers.push(await session.fire('UserPromptSubmit', { prompt: 'Go on.' }));
    return answers.at(-1)?.includes('Remembered') ?? false;
  };
  await waitFor('the message', ask, { explain: () => machine.logs() });
  await ask();
  const named = answers.filter((answer) => answer.includes('Remembered'));
  assert.equal(named.length, 1);
  assert.match(named[0] ?? '', /Remembered: The parser cache lies on disk · undo: \/tidemark:undo/);
});

test('a session ends with a summary by the model, once', async (t) => {
  const summary = Object.fromEntries(
    'request investigated learned completed next_steps notes'
      .split(' ')
      .map((field) => [field, `${field} by a model`]),
  );
  const api = await startApi(t, [
    { body: chatReply([BETTER]) },
    { body: chatReply([]) },
    { body: said(JSON.stringify({ ...summary, files_read: [], files_edited: ['a.ts'] })) },
  ]);
  const machine = machineAsking(t, api);
  await machine.up();
  const session = new PlayedSession(machine);
  await session.start();
  await session.turn();
  await session.turn(
    'Now do the same for the lexer, it has the same trouble.',
    'Done, the lexer cache lies on disk as well now.',
  );
  await waitFor('both turns', () => api.requests.length === 2, { explain: () => machine.logs() });
  await session.end();
  await waitFor('the summary in the journal', () => journalText(machine).includes('learned by a model'), {
    explain: () => `${journalText(machine)}\n${machine.logs()}`,
  });
  await machine.call('reindex', {});
  const sessions = await machine.call('read.sessions', {});
  assert.equal(sessions[0]?.summary?.learned, 'learned by a model');
  assert.equal(api.requests.length, 3);
});

test('a session of one turn gets a summary too', async (t) => {
  const learned = 'learned from one turn';
  const api = await startApi(t, [
    { body: chatReply([BETTER]) },
    {
      body: said(
        JSON.stringify({
          request: 'one',
          investigated: '',
          learned,
          completed: '',
          next_steps: '',
          notes: '',
          files_read: [],
          files_edited: [],
        }),
      ),
    },
  ]);
  const machine = machineAsking(t, api);
  await machine.up();
  const session = new PlayedSession(machine);
  await session.start();
  await session.turn();
  await waitFor('the turn', () => api.requests.length === 1, { explain: () => machine.logs() });
  await session.end();
  await waitFor('the summary in the journal', () => journalText(machine).includes(learned), {
    explain: () => `${journalText(machine)}\n${machine.logs()}`,
  });
});

test('the request does not grow with the session', async (t) => {
  const api = await startApi(t, [{ body: chatReply([]) }]);
  const machine = machineAsking(t, api);
  await machine.up();
  const session = new PlayedSession(machine);
  await session.start();
  const turns = 12;
  for (let n = 0; n < turns; n++) {
    await session.turn(`Step ${n}: ${DECISION}`, `${ANSWER} ${'More was said. '.repeat(600)}`);
    await waitFor('the request', () => api.requests.length === n + 1, { explain: () => machine.logs() });
  }
  const sizes = api.requests.map(({ body }) => JSON.stringify(body).length);
  assert.ok(Math.max(...sizes) < sizes[0]! + 3000, sizes.join(', '));
});

function journalText(machine: Machine): string {
  return [...readJournal(machine.places).files.values()].join('\n');
}
