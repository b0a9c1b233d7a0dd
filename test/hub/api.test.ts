/** Every route of the hub's API against a real daemon with the bundled sample. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Memory } from '../../src/core/index.ts';
import { leaksIn } from '../support/leaks.ts';
import { memoriesOf } from '../support/stored.ts';
import { SyntheticTranscript, uuid } from '../support/synthetic-transcript.ts';
import { waitFor } from '../support/wait-for.ts';
import { RealHub, errorOf } from './_real-hub.ts';

const SAMPLE = join(import.meta.dirname, '..', '..', 'plugin', 'sample');

let hub: RealHub;
let memories: readonly Memory[];

before(async () => {
  hub = await RealHub.start({ TZ: 'Europe/Vienna' });
  ({ memories } = await hub.get<'GET /memories'>('/memories?limit=200'));
});
after(() => hub.close());

/** Returns a memory that no other test uses. */
const untouched = (wanted: (memory: Memory) => boolean = () => true): Memory => {
  const found = memories.find((memory) => memory.state !== 'superseded' && wanted(memory));
  assert.ok(found, 'the sample holds such a memory');
  memories = memories.filter(({ id }) => id !== found.id);
  return found;
};

const storedAs = async (id: string): Promise<readonly Memory[]> =>
  (await memoriesOf(hub.machine)).filter((memory) => memory.id === id);

describe('overview', () => {
  test('counts, averages, days, kinds and health are consistent', async () => {
    const seen = await hub.get<'GET /overview'>('/overview?zone=Europe/Vienna');
    const { total } = await hub.get<'GET /memories'>('/memories?limit=1');
    assert.equal(seen.memories, total);
    assert.equal(seen.zone, 'Europe/Vienna');
    assert.equal(seen.averagePerDay, seen.memories / seen.activeDays);
    assert.equal(seen.averagePerProject, seen.memories / seen.projects);
    assert.equal(new Date(`${seen.heatmap[0]?.date}T00:00:00Z`).getUTCDay(), 1);
    assert.equal(seen.heatmap.at(-1)?.date, seen.today);
    assert.deepEqual(seen.week, seen.heatmap.slice(-7));
    assert.equal(seen.kindsOverTime.length, 26);
    const byDay = seen.heatmap.reduce((sum, { count }) => sum + count, 0);
    const byKind = seen.kindsOverTime
      .flatMap(({ counts }) => Object.values(counts))
      .reduce((sum, n) => sum + n, 0);
    assert.equal(byKind, byDay);
    assert.equal(seen.health?.state, 'capturing');
    assert.ok(Date.parse(seen.health?.daemonSince ?? '') > 0);
  });

  test('a pause is shown', async () => {
    await hub.machine.call('pause', { paused: true, scope: 'everywhere' });
    assert.equal((await hub.get<'GET /overview'>('/overview')).health?.state, 'paused');
    await hub.machine.call('pause', { paused: false, scope: 'everywhere' });
    assert.equal((await hub.get<'GET /overview'>('/overview')).health?.state, 'capturing');
  });

  test('an unknown time zone is rejected with a hint', async () => {
    const reply = await hub.ask('/api/overview?zone=Mars/Olympus', { headers: hub.visitor.headers });
    assert.equal(reply.status, 400);
    assert.match(errorOf(reply).error.hint ?? '', /Europe\/Vienna/);
  });
});

describe('projects', () => {
  test('a project has its issues, memories in force and a page', async () => {
    const [card] = await hub.get<'GET /projects'>('/projects');
    assert.ok(card && card.memories > 0 && card.sessions > 0);
    await hub.machine.call('drain', {});
    const detail = await hub.get<'GET /projects/:id'>(`/projects/${card.id}`);
    assert.equal(detail.name, card.name);
    assert.equal(detail.issues.length, detail.openIssues);
    assert.ok(detail.standing.every(({ state }) => state === 'current'));
    assert.equal(detail.moreStands, false);
    assert.match(detail.page ?? '', /what to know now/);
  });

  test('an unknown project name reaches no file', async () => {
    for (const id of ['..', '..%2f..%2fetc', '.', 'nothing-00000', '%2e%2e%2findex']) {
      const reply = await hub.ask(`/api/projects/${id}`, { headers: hub.visitor.headers });
      assert.equal(reply.status, 404, id);
    }
  });
});

describe('memories', () => {
  test('pages contain each memory once, and days count memories on other pages too', async () => {
    const ids: string[] = [];
    const days = new Map<string, number>();
    let before = '';
    for (;;) {
      const page = await hub.get<'GET /memories'>(`/memories?limit=5&zone=UTC${before}`);
      ids.push(...page.memories.map(({ id }) => id));
      for (const { date, count } of page.days) days.set(date, count);
      if (page.next === null) break;
      before = `&before=${encodeURIComponent(page.next)}`;
    }
    assert.equal(new Set(ids).size, ids.length);
    const { total } = await hub.get<'GET /memories'>('/memories');
    assert.equal(ids.length, total);
    assert.equal(
      [...days.values()].reduce((sum, n) => sum + n, 0),
      total,
    );
  });

  test('filters apply to the list and to its total', async () => {
    const only = await hub.get<'GET /memories'>('/memories?kind=decision,bugfix&state=current');
    assert.ok(only.memories.length > 0);
    assert.ok(only.memories.every(({ kind }) => kind === 'decision' || kind === 'bugfix'));
    const [first] = only.memories;
    const day = first?.at.slice(0, 10) ?? '';
    const ofDay = await hub.get<'GET /memories'>(`/memories?since=${day}&until=${day}&zone=UTC`);
    assert.ok(ofDay.memories.every(({ at }) => at.startsWith(day)));
    assert.equal(ofDay.total, ofDay.memories.length);
  });

  test('a memory has its place, neighbours, session and conversation', async () => {
    const memory = untouched();
    const detail = await hub.get<'GET /memories/:id'>(`/memories/${memory.id}`);
    assert.deepEqual(detail.memory, memory);
    assert.ok(detail.neighbours.before ?? detail.neighbours.after);
    assert.equal(detail.session?.id, memory.provenance.session);
    assert.ok(detail.chain.some(({ id }) => id === memory.id));
    assert.ok(detail.hasTranscript);
    const { turn } = await hub.get<'GET /memories/:id/transcript'>(`/memories/${memory.id}/transcript`);
    assert.equal(turn.id, memory.provenance.turn);
    assert.deepEqual(await storedAs(memory.id), [memory]);
  });
});

describe('changes', () => {
  test('an edit is stored, and an edit of an old revision is a conflict with the current entry', async () => {
    const memory = untouched();
    const { revision } = await hub.get<'GET /memories/:id'>(`/memories/${memory.id}`);
    const edit = { revision, patch: { title: 'Berths are counted by a person' } };
    const changed = await hub.send<'POST /memories/:id/edit'>(`/memories/${memory.id}/edit`, edit);
    assert.equal(changed.memory.title, 'Berths are counted by a person');
    assert.notEqual(changed.revision, revision);
    assert.deepEqual(
      (await storedAs(memory.id)).map(({ title }) => title),
      ['Berths are counted by a person'],
    );

    const late = await hub.tell(`/memories/${memory.id}/edit`, { revision, patch: { title: 'Other' } });
    assert.equal(late.status, 409);
    assert.equal(errorOf(late).error.code, 'conflict');
    assert.deepEqual(errorOf(late).present, changed);
    const forget = await hub.tell(`/memories/${memory.id}/forget`, { revision });
    assert.equal(forget.status, 409);
  });

  test('an issue is resolved and reopened', async () => {
    const issue = await hub.machine.call('remember', {
      draft: {
        kind: 'issue',
        title: 'The crane has no limit switch',
        body: '',
        facts: [],
        concepts: [],
        files: [],
      },
    });
    const resolved = await hub.send<'POST /memories/:id/resolve'>(`/memories/${issue.id}/resolve`);
    assert.equal(resolved.memory.state, 'resolved');
    const open = await hub.send<'POST /memories/:id/reopen'>(`/memories/${issue.id}/reopen`);
    assert.equal(open.memory.state, 'open');
    const other = untouched(({ kind }) => kind !== 'issue');
    const wrong = await hub.tell(`/memories/${other.id}/resolve`);
    assert.equal(wrong.status, 400);
    assert.match(errorOf(wrong).error.message, /only an issue/);
  });

  test('a superseded memory names its replacement, and the chain shows both', async () => {
    const [old, by] = [untouched(({ kind }) => kind !== 'issue'), untouched(({ kind }) => kind !== 'issue')];
    const { memory } = await hub.send<'POST /memories/:id/supersede'>(`/memories/${old.id}/supersede`, {
      by: by.id,
    });
    assert.equal(memory.state, 'superseded');
    assert.equal(memory.supersededBy, by.id);
    const { chain } = await hub.get<'GET /memories/:id'>(`/memories/${by.id}`);
    assert.deepEqual(new Set(chain.map(({ id }) => id)), new Set([old.id, by.id]));
  });

  test('a forgotten memory is hidden at once and can be restored', async () => {
    const memory = untouched();
    const { undoUntil } = await hub.send<'POST /memories/:id/forget'>(`/memories/${memory.id}/forget`);
    assert.ok(Date.parse(undoUntil ?? '') > Date.now());
    const gone = await hub.ask(`/api/memories/${memory.id}`, { headers: hub.visitor.headers });
    assert.equal(gone.status, 404);
    const back = await hub.send<'POST /memories/:id/undo-forget'>(`/memories/${memory.id}/undo-forget`);
    assert.equal(back.memory.title, memory.title);
  });

  test('a moved memory stays in its new project after a rebuild, and is stored once', async () => {
    await hub.machine.call('remember', {
      draft: { kind: 'preference', title: 'Tabs, not spaces', body: '', facts: [], concepts: [], files: [] },
    });
    const memory = untouched(({ project }) => project !== 'personal');
    const moved = await hub.send<'POST /memories/:id/move'>(`/memories/${memory.id}/move`, {
      project: 'personal',
    });
    assert.equal(moved.memory.project, 'personal');
    assert.equal(moved.memory.title, memory.title);
    assert.equal((await storedAs(memory.id)).length, 1);
    await hub.machine.call('reindex', {});
    const { memory: after } = await hub.get<'GET /memories/:id'>(`/memories/${memory.id}`);
    assert.equal(after.project, 'personal');
    const nowhere = await hub.tell(`/memories/${memory.id}/move`, { project: '../elsewhere' });
    assert.equal(nowhere.status, 404);
  });

  test('a body that is not JSON or has unknown fields changes nothing', async () => {
    const { id } = untouched();
    const path = `/api/memories/${id}/edit`;
    const json = { ...hub.visitor.headers, 'content-type': 'application/json' };
    const form = { ...hub.visitor.headers, 'content-type': 'text/plain' };
    const body = JSON.stringify({ patch: { title: 'x' } });
    assert.equal((await hub.ask(path, { method: 'POST', headers: form, body })).status, 415);
    assert.equal((await hub.ask(path, { method: 'POST', headers: json, body: '{' })).status, 400);
    for (const wrong of [
      { patch: { id: 'other' } },
      { patch: { title: '' } },
      { patch: { title: 'x' }, more: 1 },
    ])
      assert.equal((await hub.tell(`/memories/${id}/edit`, wrong)).status, 400);
    const long = await hub.tell(`/memories/${id}/edit`, { patch: { title: 'x'.repeat(501) } });
    assert.equal(long.status, 400);
    assert.match(errorOf(long).error.message, /title: at most 500 characters are allowed/);
    const large = await hub.tell(`/memories/${id}/edit`, { patch: { body: 'x'.repeat(70_000) } });
    assert.equal(large.status, 413);
  });
});

describe('search', () => {
  test('finds memories, explains scores, marks matched words, and accepts filters in q or as parameters', async () => {
    const listed = await hub.get<'GET /memories'>('/memories');
    const words = listed.memories.flatMap(({ title }) => title.match(/[a-z]{6,}/gi) ?? []);
    const [word = ''] = words.toSorted((a, b) => b.length - a.length);
    const { hits, considered } = await hub.get<'GET /search'>(`/search?q=${encodeURIComponent(word)}`);
    assert.ok(hits.length > 0 && considered >= hits.length);
    const [first] = hits;
    assert.ok((first?.parts.length ?? 0) > 0 && (first?.matched.length ?? 0) > 0);
    const text = JSON.stringify(first?.memory).toLowerCase();
    for (const matched of first?.matched ?? []) assert.ok(text.includes(matched), matched);

    const beside = await hub.get<'GET /search'>('/search?q=&kind=decision&limit=100');
    const inside = await hub.get<'GET /search'>('/search?q=kind:decision&limit=100');
    assert.deepEqual(
      beside.hits.map(({ memory }) => memory.id),
      inside.hits.map(({ memory }) => memory.id),
    );
    const none = await hub.get<'GET /search'>('/search?q=berth&project=no-such-project');
    assert.deepEqual([none.hits, none.turns], [[], []]);
  });

  test('matching conversations come after memories', async () => {
    const { sessions } = await hub.get<'GET /sessions'>('/sessions');
    const all = await Promise.all(sessions.map(({ id }) => hub.get<'GET /sessions/:id'>(`/sessions/${id}`)));
    const turn = all.flatMap(({ turns }) => turns).find(({ prompt }) => prompt.length > 20);
    const question = encodeURIComponent(turn?.prompt.slice(0, 200) ?? '');
    const found = await hub.get<'GET /search'>(`/search?limit=200&q=${question}`);
    assert.ok(
      found.turns.some(({ id }) => id === turn?.id),
      'also a turn that a memory was made of',
    );
  });
});

describe('sessions', () => {
  test('sessions are listed, and one has prompts, summary, files, memories, cost and injections', async () => {
    const session_id = 'a-session-that-asks';
    await hub.machine.deliver('SessionStart', { session_id, source: 'startup' });
    await hub.machine.call('drain', {});
    const list = await hub.get<'GET /sessions'>('/sessions?limit=1');
    assert.ok(list.total > 1 && list.next !== null);
    const rest = await hub.get<'GET /sessions'>(`/sessions?before=${encodeURIComponent(list.next)}`);
    assert.equal(rest.sessions.length, list.total - 1);
    const told = rest.sessions.find(({ memories: made, summary }) => made > 0 && summary);
    const detail = await hub.get<'GET /sessions/:id'>(`/sessions/${told?.id}`);
    assert.equal(Object.keys(detail.session.summary ?? {}).length, 8);
    assert.equal(detail.memories.length, detail.session.memories);
    assert.ok(detail.turns.length > 0 && detail.turns.every(({ prompt }) => prompt !== ''));
    assert.ok(detail.files.edited.length + detail.files.read.length > 0);
    const asked = await hub.get<'GET /sessions/:id'>(`/sessions/${session_id}`);
    assert.equal(asked.moments.length, 1);
    assert.equal(asked.moments[0]?.where, 'brief');
    const unknown = await hub.ask('/api/sessions/nobody', { headers: hub.visitor.headers });
    assert.equal(unknown.status, 404);
  });
});

describe('settings', () => {
  test('every setting has value, origin, type and doc; a change is checked and written to the file', async () => {
    const { rows } = await hub.get<'GET /settings'>('/settings');
    const row = rows.find(({ key }) => key === 'recall.briefTokens');
    assert.deepEqual(
      [row?.value, row?.from, row?.stored, row?.min, row?.max],
      [1500, 'default', null, 100, 2500],
    );
    assert.ok(rows.every(({ doc }) => doc.length > 10));

    const set = await hub.tell('/settings/recall.briefTokens', { value: 900 }, 'PUT');
    assert.equal(set.status, 200);
    assert.deepEqual([JSON.parse(set.text).value, JSON.parse(set.text).from], [900, 'user']);
    assert.equal(JSON.parse(readFileSync(hub.machine.places.config, 'utf8'))['recall.briefTokens'], 900);

    const wrong = await hub.tell('/settings/recall.briefTokens', { value: 99 }, 'PUT');
    assert.equal(wrong.status, 400);
    assert.match(errorOf(wrong).error.message, /whole number from 100 to 2500/);
    const misspelt = await hub.tell('/settings/recall.briefToken', { value: 900 }, 'PUT');
    assert.equal(misspelt.status, 404);
    assert.match(errorOf(misspelt).error.hint ?? '', /recall\.briefTokens/);

    const unset = await hub.tell('/settings/recall.briefTokens', { value: null }, 'PUT');
    assert.equal(JSON.parse(unset.text).from, 'default');
  });
});

describe('review', () => {
  test('memories in review are kept, dropped or edited', async (t) => {
    const own = await RealHub.open(t, { TIDEMARK_NOTES_REVIEW: 'true' });
    const waiting = await own.get<'GET /review'>('/review');
    assert.ok(waiting.length >= 3);
    assert.equal((await own.get<'GET /overview'>('/overview')).health?.inReview, waiting.length);
    const [keep, drop, edit] = waiting.map(({ memory }) => memory);
    assert.ok(keep && drop && edit);
    await own.send<'POST /review/:id'>(`/review/${keep.id}`, { verdict: 'keep' });
    await own.send<'POST /review/:id'>(`/review/${drop.id}`, { verdict: 'drop' });
    const left = await own.send<'POST /review/:id'>(`/review/${edit.id}`, {
      verdict: 'edit',
      patch: { title: 'In words of my own' },
    });
    assert.equal(left.length, waiting.length - 3);
    const { memories: kept } = await own.get<'GET /memories'>('/memories');
    const titles = kept.map(({ title }) => title);
    assert.ok(titles.includes('In words of my own') && titles.includes(keep.title));
    assert.ok(!kept.some(({ id }) => id === drop.id));
    assert.equal((await own.tell(`/review/${drop.id}`, { verdict: 'keep' })).status, 404);
  });
});

/** Sessions that are not known yet: the import is still running when the second request arrives. */
const writeHistory = (sessions: number): void => {
  for (let n = 0; n < sessions; n++) {
    const { config, project: cwd } = hub.machine;
    const transcript = new SyntheticTranscript({ config, cwd, session: uuid('history', n) });
    for (let turn = 0; turn < 4; turn++)
      transcript.append({
        prompt: `We decided to use tool${n}x${turn} for part${turn}y${n}.`,
        answer: 'Noted.',
      });
    transcript.finish();
  }
};

describe('import', () => {
  test('lists sources, runs one import at a time, and reports the result', async () => {
    cpSync(join(SAMPLE, 'projects'), join(hub.machine.config, 'projects'), { recursive: true });
    writeHistory(20);
    const [source] = await hub.get<'GET /import/sources'>('/import/sources');
    assert.equal(source?.folder, hub.machine.config);
    assert.ok(source.sessions > 0 && source.bytes > 0 && existsSync(source.folder));
    assert.equal((await hub.get<'GET /import'>('/import')).state, 'idle');
    const both = await Promise.all([hub.tell('/import/history'), hub.tell('/import/history')]);
    assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 409]);
    const done = await waitFor('the import to end', async () => {
      const state = await hub.get<'GET /import'>('/import');
      return state.state === 'running' ? undefined : state;
    });
    assert.equal(done.state, 'done');
    assert.equal(done.report.total, source.sessions);
    assert.equal((await hub.send<'POST /import/cancel'>('/import/cancel')).state, 'done');
  });
});

test('a team is not configured', async () => {
  assert.deepEqual(await hub.get<'GET /team'>('/team'), {
    configured: false,
    projects: [],
    waiting: 0,
    lastGoodAt: null,
    problem: null,
    conflicts: [],
    settings: {},
  });
});

describe('first screen', () => {
  test('an edit, a resolved issue and a replaced memory are listed with their old text, until forgotten', async () => {
    const written = (title: string) =>
      hub.machine.call('remember', {
        draft: { kind: 'decision', title, body: '', facts: [], concepts: [], files: [] },
      });
    const edited = await written('Berths are numbered from the pier');
    const replaced = await written('Invoices are sent by post');
    await hub.send(`/memories/${edited.id}/edit`, { patch: { title: 'A title of the user' } });
    await hub.send(`/memories/${replaced.id}/supersede`, { by: edited.id });
    const { changed = [], learned, used } = await hub.get<'GET /home'>('/home?zone=Europe/Vienna');
    assert.deepEqual(
      changed.slice(0, 2).map(({ how, memory, before, by }) => [how, before?.title ?? memory.title, by?.id]),
      [
        ['superseded', replaced.title, edited.id],
        ['edited', edited.title, undefined],
      ],
    );
    assert.ok(learned.length > 0 && learned.every(({ state }) => state === 'current'));
    assert.ok(!learned.some(({ id }) => id === replaced.id));
    const session = used?.memories[0]?.sessions[0]?.id;
    assert.equal(session, 'a-session-that-asks', 'another test started this session');
    await hub.machine.call('forget', { ids: [edited.id], now: true });
    const old = { name: 'the old text', text: edited.title };
    assert.deepEqual(leaksIn(hub.machine.places.home, [old]), []);
    const after = await hub.get<'GET /changes'>('/changes?limit=50');
    assert.ok(after.every(({ memory }) => memory.id !== edited.id));
  });
});
