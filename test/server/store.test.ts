import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isLater } from '../../src/exchange/sync/index.ts';
import {
  addMember,
  browse,
  changeMember,
  checkKey,
  createKey,
  createTeam,
  ensureProject,
  listMembers,
  listMemories,
  listProjects,
  memoryById,
  pullChanges,
  pushChanges,
  removeMember,
  removeProject,
  revisionsOf,
  revokeKey,
  setShare,
  TeamStore,
  withdrawOwn,
  type Caller,
} from '../../src/server/store/index.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { entryOf, put } from '../support/team.ts';
import { waitFor } from '../support/wait-for.ts';
import { tablesWith } from './_rows.ts';

const { skip } = postgresql;
let postgres: Postgres;
let store: TeamStore;
let ada: Caller;
let keys = 0;

before(async () => {
  if (skip) return;
  postgres = await startPostgres();
  store = await TeamStore.open({ database: await postgres.newOwnedDatabase() });
  ada = await createTeam(store, { name: 'Acme', owner: 'Ada' });
});
after(async () => {
  await store?.close();
  await postgres?.remove();
});

const newProject = (caller: Caller, name: string) =>
  store.transaction(caller, (work) => ensureProject(work, { name, keys: [`remote:example.com/${name}`] }));
const push = (caller: Caller, project: string, ...entries: Parameters<typeof put>[0][]) =>
  store.transaction(caller, (work) =>
    pushChanges(work, project, { changes: entries.map(put), idempotencyKey: `request-${++keys}` }),
  );
const join = async (name: string, role: 'owner' | 'member' | 'reader'): Promise<Caller> => {
  const { id } = await store.transaction(ada, (work) => addMember(work, { name, role }));
  return { team: ada.team, member: id };
};

test('pushed entries are pulled in order, with their authors', { skip }, async () => {
  const { id } = await newProject(ada, 'order');
  const first = entryOf('Tokens rotate', { reason: 'theft', files: ['src/a.ts'], seen: 3 });
  const second = entryOf('Keys expire');
  const { results, cursor } = await push(ada, id, first, second);
  assert.deepEqual(
    results.map(({ outcome }) => outcome),
    ['stored', 'stored'],
  );
  const page = await store.transaction(ada, (work) => pullChanges(work, id, { after: 0, limit: 1 }));
  assert.deepEqual(page.changes[0], {
    seq: cursor - 1,
    op: 'put',
    entry: first,
    author: { id: ada.member, name: 'Ada' },
  });
  assert.equal(page.more, true);
  const rest = await store.transaction(ada, (work) => pullChanges(work, id, { after: page.next, limit: 9 }));
  assert.deepEqual(
    rest.changes.map(({ seq }) => seq),
    [cursor],
  );
  assert.equal(rest.more, false);
  const { latest, ...end } = await store.transaction(ada, (work) =>
    pullChanges(work, id, { after: cursor, limit: 9 }),
  );
  assert.deepEqual(end, { changes: [], next: cursor, more: false, access: 'write' });
  assert.ok(latest !== undefined && latest > Date.now(), 'the highest clock that is accepted');
});

test('a repeated request is applied once and gets the first answer', { skip }, async () => {
  const { id } = await newProject(ada, 'once');
  const request = { changes: [put(entryOf('Once only'))], idempotencyKey: 'the-same-key' };
  const send = () => store.transaction(ada, (work) => pushChanges(work, id, request));
  const [first, second] = await Promise.all([send(), send()]);
  assert.deepEqual(first, second);
  assert.deepEqual(await send(), first);
});

test('any order of arrival gives the same state, and the replaced text is stored', { skip }, async () => {
  const texts = [
    entryOf('Merged', { body: 'one', clock: 1, by: 'desk' }),
    entryOf('Merged', { body: 'two', clock: 2, by: 'desk' }),
    entryOf('Merged', { body: 'three', clock: 2, by: 'laptop' }),
  ] as const;
  for (const order of ['012', '210', '120', '201']) {
    const { id } = await newProject(ada, `merge-${order}`);
    for (const i of order) await push(ada, id, texts[Number(i)] ?? texts[0]);
    const page = await store.transaction(ada, (work) => pullChanges(work, id, { after: 0, limit: 9 }));
    const [only, ...others] = page.changes;
    assert.equal(others.length, 0);
    assert.equal(only?.op === 'put' && only.entry.body, 'three', order);
    const lost = await store.transaction(ada, (work) => revisionsOf(work, id, texts[0].id));
    assert.deepEqual(
      lost.map(({ entry }) => entry.body),
      ['two', 'one'],
    );
  }
});

test('forgetting erases an entry with its earlier texts for good', { skip }, async () => {
  const { id } = await newProject(ada, 'forgotten');
  const entry = entryOf('A secret plan');
  await push(ada, id, entry);
  await push(ada, id, { ...entry, body: 'worded better', version: { clock: 2, machine: 'laptop' } });
  const tombstone = {
    op: 'tombstone' as const,
    id: entry.id,
    turn: entry.provenance.turn,
    hash: 'h',
    version: { clock: 1, machine: 'desk' },
  };
  await store.transaction(ada, (work) =>
    pushChanges(work, id, { changes: [tombstone], idempotencyKey: 'forget-it-now' }),
  );
  assert.deepEqual(await store.transaction(ada, (work) => revisionsOf(work, id, entry.id)), []);
  const { results } = await push(ada, id, { ...entry, version: { clock: 99, machine: 'laptop' } });
  assert.equal(results[0]?.outcome, 'forgotten');
  const { changes } = await store.transaction(ada, (work) => pullChanges(work, id, { after: 0, limit: 9 }));
  assert.deepEqual(
    changes.map(({ op }) => op),
    ['tombstone'],
  );
});

test('withdrawing removes the caller’s entries, and they can be shared again', { skip }, async () => {
  const { id } = await newProject(ada, 'withdrawn');
  const ben = await join('Ben', 'member');
  await store.transaction(ada, (work) => setShare(work, id, { member: null, access: 'write' }));
  const [own, others] = [entryOf('Ben’s own'), entryOf('Ada’s own')];
  await push(ben, id, own);
  await push(ada, id, others);
  assert.equal(await store.transaction(ben, (work) => withdrawOwn(work, id)), 1);
  const left = await store.transaction(ada, (work) => listMemories(work, id, { limit: 9 }));
  assert.deepEqual(
    left.items.map(({ entry }) => entry.title),
    ['Ada’s own'],
  );
  const { changes } = await store.transaction(ada, (work) => pullChanges(work, id, { after: 0, limit: 9 }));
  assert.deepEqual(
    changes.map(({ op }) => op),
    ['put', 'withdraw'],
  );
  const ended = changes.find(({ op }) => op === 'withdraw');
  assert.ok(
    ended?.op === 'withdraw' && isLater(ended.version, own.version),
    'later than the version on other machines',
  );
  const again = entryOf('Ben’s own', { clock: ended.version.clock + 1 });
  assert.equal((await push(ben, id, again)).results[0]?.outcome, 'stored');
});

test('a read share does not allow writing, and without a share nothing is visible', { skip }, async () => {
  const { id } = await newProject(ada, 'readers');
  await push(ada, id, entryOf('Only for some'));
  const [cleo, dan] = [await join('Cleo', 'reader'), await join('Dan', 'member')];
  await store.transaction(ada, (work) => setShare(work, id, { member: cleo.member, access: 'write' }));
  await assert.rejects(push(cleo, id, entryOf('Mine')), { code: 'forbidden' });
  const { items } = await store.transaction(cleo, (work) => listMemories(work, id, { limit: 9 }));
  assert.equal(items.length, 1);
  await assert.rejects(
    store.transaction(dan, (work) => listMemories(work, id, { limit: 9 })),
    { code: 'not-found' },
  );
  await assert.rejects(
    store.transaction(dan, (work) => memoryById(work, entryOf('Only for some').id)),
    { code: 'not-found' },
  );
  const shared = (await store.transaction(dan, (work) => listProjects(work))).items;
  assert.ok(shared.every((project) => project.id !== id));
  await assert.rejects(
    store.transaction(dan, (work) => setShare(work, id, { member: dan.member, access: 'write' })),
    { code: 'not-found' },
  );
});

test('the same project key is the same project, but gives no access to it', { skip }, async () => {
  const one = await newProject(ada, 'same');
  const two = await store.transaction(ada, (work) =>
    ensureProject(work, { name: 'other name', keys: ['remote:example.com/same', 'path:x'] }),
  );
  assert.equal(two.id, one.id);
  assert.deepEqual(two.keys, ['path:x', 'remote:example.com/same']);
  const eve = await join('Eve', 'member');
  await assert.rejects(newProject(eve, 'same'), { code: 'forbidden' });
});

test('a key is valid until it is revoked, expires or its member is removed', { skip }, async () => {
  const fay = await join('Fay', 'member');
  const { secret, key } = await store.transaction(ada, (work) =>
    createKey(work, { member: fay.member, scopes: ['read'], expiresAt: '2027-01-01T00:00:00.000Z' }),
  );
  const now = new Date('2026-11-15T12:00:00.000Z');
  const check = await checkKey(store, secret, now);
  assert.equal(check.kind === 'known' && check.holder.member.name, 'Fay');
  assert.equal((await checkKey(store, `${secret.slice(0, -1)}!`, now)).kind, 'unknown');
  const wrong = secret.slice(0, -4) + (secret.endsWith('AAAA') ? 'BBBB' : 'AAAA');
  assert.equal((await checkKey(store, wrong, now)).kind, 'unknown');
  assert.equal((await checkKey(store, secret, new Date('2027-01-02'))).kind, 'expired');
  await store.transaction(ada, (work) => revokeKey(work, key.id));
  assert.equal((await checkKey(store, secret, now)).kind, 'unknown');
  const other = await store.transaction(fay, (work) =>
    createKey(work, { member: fay.member, scopes: ['read', 'write'] }),
  );
  await store.transaction(ada, (work) => removeMember(work, fay.member));
  assert.equal((await checkKey(store, other.secret, now)).kind, 'unknown');
});

test('only owners change members, and the last owner cannot leave', { skip }, async () => {
  const gus = await join('Gus', 'member');
  await assert.rejects(
    store.transaction(gus, (work) => addMember(work, { name: 'Mallory', role: 'owner' })),
    { code: 'forbidden' },
  );
  await assert.rejects(
    store.transaction(gus, (work) => changeMember(work, gus.member, { role: 'owner' })),
    { code: 'forbidden' },
  );
  await assert.rejects(
    store.transaction(ada, (work) => removeMember(work, ada.member)),
    { code: 'last-owner' },
  );
  const members = await store.transaction(gus, (work) => listMembers(work));
  assert.ok(members.some(({ name }) => name === 'Ada'));
});

test('removing a project deletes everything in it', { skip }, async () => {
  const hal = await join('Hal', 'member');
  const { id } = await newProject(hal, 'gone');
  await push(hal, id, entryOf('Word unlikelyword here'));
  await store.transaction(ada, (work) => removeProject(work, id));
  const database = postgres.urlOf('test_1');
  assert.deepEqual(await tablesWith(database, id), []);
  assert.deepEqual(await tablesWith(database, 'unlikelyword'), []);
});

test('a push that waits while its project is removed finds no project', { skip }, async () => {
  const { id } = await newProject(ada, 'removed meanwhile');
  const pushed = await store.transaction(ada, async (work) => {
    await removeProject(work, id);
    const outcome = push(ada, id, entryOf('Too late')).catch((error: unknown) => error);
    await waitFor('the push to wait', () => work.row('SELECT 1 FROM pg_locks WHERE NOT granted'));
    return [outcome];
  });
  assert.equal(((await pushed[0]) as { code?: string }).code, 'not-found');
});

test('a forgotten, withdrawn or replaced word is in no table', { skip }, async () => {
  const { id } = await newProject(ada, 'erased');
  const database = postgres.urlOf('test_1');
  const [kept, gone] = [entryOf('Keep zirconword here'), entryOf('Drop zirconword here')];
  await push(ada, id, kept, gone, { ...gone, version: { clock: 2, machine: 'desk' } });
  assert.notDeepEqual(await tablesWith(database, 'zirconword'), []);
  await store.transaction(ada, (work) =>
    pushChanges(work, id, {
      changes: [
        { op: 'tombstone', id: gone.id, turn: 't', hash: 'h', version: { clock: 3, machine: 'desk' } },
      ],
      idempotencyKey: 'forget the word',
    }),
  );
  await store.transaction(ada, (work) => withdrawOwn(work, id));
  assert.deepEqual(await tablesWith(database, 'zirconword'), []);
});

test('text that PostgreSQL cannot store or that looks like SQL is only text', { skip }, async () => {
  const { id } = await newProject(ada, "'; DROP SCHEMA tidemark CASCADE; --");
  const entry = entryOf("a\0b '; DELETE FROM tidemark.memory; -- \\' $1 \uD800", {
    facts: ["{'x\\", '"q",NULL', '\0'],
    files: ["src/it's \\ odd.ts"],
  });
  await push(ada, id, entry);
  const { items } = await store.transaction(ada, (work) => listMemories(work, id, { limit: 9 }));
  assert.match(items[0]?.entry.title ?? '', /^a\uFFFDb '; DELETE/);
  assert.deepEqual(items[0]?.entry.facts, ["{'x\\", '"q",NULL', '\uFFFD']);
  assert.deepEqual(items[0]?.entry.files, entry.files);
});

test('cursors continue a list where a page ended', { skip }, async () => {
  const { id } = await newProject(ada, 'paged');
  const entries = Array.from({ length: 7 }, (_, i) =>
    entryOf(`Entry ${i}`, { at: `2026-11-1${i}T09:00:00.000Z` }),
  );
  await push(ada, id, ...entries);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.transaction(ada, (work) =>
      listMemories(work, id, { limit: 3, ...(cursor === undefined ? {} : { cursor }) }),
    );
    seen.push(...page.items.map(({ entry }) => entry.title));
    cursor = page.cursor;
  } while (cursor !== undefined);
  assert.deepEqual(seen, entries.map(({ title }) => title).toReversed());
});

test('an offset skips memories across projects', { skip }, async () => {
  const projects = [await newProject(ada, 'left bank'), await newProject(ada, 'right bank')];
  const titles: string[] = [];
  for (let i = 0; i < 6; i++) {
    const entry = entryOf(`Lantern ${i}`, { at: `2026-10-1${i}T09:00:00.000Z` });
    await push(ada, projects[i % 2]?.id ?? '', entry);
    titles.unshift(entry.title);
  }
  const filter = { project: projects.map(({ id }) => id) };
  const page = await store.transaction(ada, (work) => browse(work, filter, { limit: 2, offset: 3 }));
  assert.deepEqual(
    page.map(({ entry }) => entry.title),
    titles.slice(3, 5),
  );
});
