import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import {
  memoryId,
  PERSONAL_PROJECT,
  type Memory,
  type MemoryKind,
  type StoredTurn,
} from '../../core/index.ts';
import { indexedTurn, MemoryIndex } from '../../database/index.ts';
import { bash, edit, sampleTurn } from '../../../test/support/sample-turn.ts';
import type { WorkLog } from '../../storage/journal/index.ts';
import { zoneDays } from '../zone-days.ts';
import { recapMarkdown, recapTitle } from './recap-text.ts';
import { recap, RECAP_SECTIONS, type ProjectRecap, type Recap, type RecapOptions } from './recap.ts';

/** A Tuesday. */
const NOW = new Date('2026-11-17T10:00:00.000Z');
const PROJECT = 'shop-a1b2';
const OLD = '2026-11-02T10:00:00.000Z';
const MONDAY = '2026-11-16';

function at(minute: number): string {
  return `${MONDAY}T10:${String(minute).padStart(2, '0')}:00.000Z`;
}

let made = 0;

function memory(kind: MemoryKind, title: string, more: Partial<Memory> & { turn?: string } = {}): Memory {
  made++;
  const { turn = `made-${made}`, ...rest } = more;
  const time = rest.at ?? at(made % 60);
  return {
    id: memoryId(time, turn, kind, made),
    kind,
    title,
    body: '',
    facts: [],
    concepts: [],
    files: [],
    project: PROJECT,
    at: time,
    state: kind === 'issue' ? 'open' : 'current',
    evidence: 'said',
    provenance: { agent: 'claude-code', session: 's1', turn, messages: [], by: 'model' },
    ...rest,
  };
}

function turn(id: string, minute: number, parts: Partial<StoredTurn>): StoredTurn {
  const times = { startedAt: at(minute), endedAt: at(minute) };
  return sampleTurn({ id, session: 's1', project: PROJECT, ...times, ...parts });
}

function commit(hash: string, subject: string) {
  return { ...bash(`git commit -m "${subject}"`), output: `[main ${hash}] ${subject}` };
}

interface World {
  readonly memories?: readonly Memory[];
  readonly turns?: readonly StoredTurn[];
}

async function recapOf(
  t: TestContext,
  { memories = [], turns = [] }: World,
  more: Partial<RecapOptions> = {},
) {
  const index = MemoryIndex.open(':memory:');
  t.after(() => index.close());
  index.upsertProject({ id: PROJECT, name: 'shop', keys: [], paths: [] });
  index.upsertTurns(turns.map((one) => indexedTurn(one, { file: 'x', offset: 0, length: 1 }, one.id)));
  index.upsertMemories(memories.map((one) => ({ memory: one })));
  for (const id of new Set(['s1', ...turns.map(({ session }) => session)]))
    index.upsertSession({
      id,
      agent: 'claude-code',
      project: PROJECT,
      startedAt: at(0),
      lastAt: at(59),
      status: 'completed',
      turns: 1,
    });
  return recap(index, { now: NOW, days: zoneDays('UTC'), ...more });
}

/** The texts of the only project, by section. */
function texts(found: Recap): Partial<Record<string, readonly string[]>> {
  const [project] = found.projects;
  if (!project) return {};
  const filled = RECAP_SECTIONS.filter((section) => project[section].length > 0);
  return Object.fromEntries(filled.map((section) => [section, project[section].map(({ text }) => text)]));
}

test('without a day, the recap begins with the last working day and says so', async (t) => {
  const found = await recapOf(t, {
    memories: [
      memory('decision', 'Prices are stored in cents'),
      memory('decision', 'Totals are rounded once at the end', { at: '2026-11-15T23:59:59.000Z' }),
    ],
  });
  assert.equal(found.since, '2026-11-16T00:00:00.000Z');
  assert.equal(recapTitle(found), 'Since yesterday, Monday 16 November (the last working day)');
  assert.deepEqual(texts(found), { decided: ['Prices are stored in cents'] });
});

test('a project in which nothing happened is left out', async (t) => {
  const found = await recapOf(t, { memories: [memory('issue', 'The importer drops rows', { at: OLD })] });
  assert.deepEqual(found.projects, []);
});

test('a decision that replaces another shows both', async (t) => {
  const old = memory('decision', 'Logs are kept for thirty days', { at: OLD });
  const fresh = memory('decision', 'Audit rows stay ninety days, the auditors ask for it');
  const replaced = { ...old, state: 'superseded', supersededBy: fresh.id } as const;
  assert.deepEqual(texts(await recapOf(t, { memories: [replaced, fresh] })), {
    decided: [
      'Changed: Logs are kept for thirty days → Audit rows stay ninety days, the auditors ask for it',
    ],
  });
});

test('another wording from the same turn is no change', async (t) => {
  const fresh = memory('decision', 'Siblings share one invoice, the second child pays half', { turn: 'a' });
  const first = memory('preference', 'Half price from now on', { turn: 'a', state: 'superseded' });
  const found = await recapOf(t, { memories: [{ ...first, supersededBy: fresh.id }, fresh] });
  assert.deepEqual(texts(found), { decided: [fresh.title] });
});

test('a decision that ended without a successor is named', async (t) => {
  const ended = { at: at(3), turn: 'later', maker: 'claude' };
  const old = memory('decision', 'Deploy only on Thursdays', { at: OLD, state: 'superseded', ended });
  assert.deepEqual(texts(await recapOf(t, { memories: [old] })), {
    decided: ['No longer: Deploy only on Thursdays'],
  });
});

test('what only the agent claims comes after what the user said, and quoted advice is left out', async (t) => {
  const found = await recapOf(t, {
    memories: [
      memory('decision', 'The cache lives in memory', { evidence: 'claimed', at: at(1) }),
      memory('decision', 'Sessions expire after a day', { at: at(2) }),
      memory('preference', 'Every function needs a comment', { evidence: 'quoted' }),
    ],
  });
  assert.deepEqual(texts(found), { decided: ['Sessions expire after a day', 'The cache lives in memory'] });
  assert.match(recapMarkdown(found), /- The cache lives in memory \(claimed by the agent, \w+\)/);
});

test('a title that was cut ends at its last clause, and words before the matter are left out', async (t) => {
  const found = await recapOf(t, {
    memories: [
      memory('issue', 'The nightly job shows the same crash: the back end gives up when the arguments need…'),
      memory('issue', 'Before i forget, error spans are off by one after a tab'),
    ],
  });
  assert.deepEqual(texts(found), {
    open: ['The nightly job shows the same crash', 'Error spans are off by one after a tab'],
  });
});

test('a fix names its problem; other resolved issues are named alone', async (t) => {
  const fix = memory('bugfix', 'The importer skips the byte order mark of the file', { turn: 'fix' });
  const solved = memory('issue', 'The importer fails on files from Excel', { at: OLD });
  const other = memory('issue', 'Avatars are too small on phones', { at: OLD });
  const ended = { at: at(5), turn: 'fix', maker: 'claude' };
  const found = await recapOf(t, {
    memories: [
      { ...solved, state: 'resolved', resolvedBy: fix.id, ended: { ...ended, by: fix.id } },
      { ...other, state: 'resolved', ended },
      fix,
    ],
  });
  assert.deepEqual([...(texts(found)['fixed'] ?? [])].toSorted(), [
    'Resolved: Avatars are too small on phones',
    'The importer fails on files from Excel → The importer skips the byte order mark of the file',
  ]);
});

test('an issue that was resolved before this time is left out', async (t) => {
  const ended = { at: OLD, turn: 'then', maker: 'claude' };
  const old = memory('issue', 'Avatars are too small', { at: OLD, state: 'resolved', ended });
  assert.deepEqual(texts(await recapOf(t, { memories: [old] })), {});
});

test('turns that changed something are done: by commit, else by report, else by request', async (t) => {
  const found = await recapOf(t, {
    turns: [
      turn('a', 1, {
        prompt: 'Make uploads retry',
        answer: 'Let me look.',
        tools: [edit('/home/ada/engine/up.ts')],
      }),
      turn('b', 2, {
        prompt: 'commit it',
        answer: 'Done.',
        tools: [commit('3f2a1bc', 'feat(up): retry uploads')],
      }),
      turn('c', 3, {
        prompt: 'and the label?',
        answer: 'I moved the label above the field so that it stays readable on phones.',
        tools: [edit('/home/ada/engine/label.ts')],
      }),
      turn('d', 4, {
        prompt: 'Translate the mails into Dutch',
        answer: 'Ok!',
        tools: [edit('/home/ada/engine/nl.ts')],
      }),
      turn('e', 5, { prompt: 'do it', answer: 'Ok!', tools: [edit('/home/ada/engine/e.ts')] }),
      turn('f', 6, { prompt: 'ok thanks', answer: 'You are welcome!' }),
      turn('g', 7, { prompt: 'What does the queue do?', answer: 'It sends the mails of the shop.' }),
    ],
  });
  assert.deepEqual(texts(found), {
    done: [
      'Retry uploads',
      'Moved the label above the field so that it stays readable on phones',
      'Worked on: Translate the mails into Dutch',
      'Changed e.ts',
    ],
  });
  const [first, second] = found.projects[0]?.done ?? [];
  assert.deepEqual([first?.commits, first?.files, first?.evidence], [['3f2a1bc'], ['up.ts'], 'shown']);
  assert.deepEqual([second?.turn, second?.session, second?.evidence], ['c', 's1', 'claimed']);
});

test('a commit that fixes something is listed as fixed', async (t) => {
  const tools = [commit('3f2a1bc', 'fix(cart): totals keep their cents')];
  const found = await recapOf(t, { turns: [turn('a', 1, { prompt: 'commit', answer: 'Done.', tools })] });
  assert.deepEqual(texts(found), { fixed: ['Totals keep their cents'] });
});

test('the memory of a turn describes its work, with the commits of the turn', async (t) => {
  const found = await recapOf(t, {
    memories: [memory('feature', 'Guests can cancel a booking by mail', { turn: 'a', evidence: 'shown' })],
    turns: [
      turn('a', 1, {
        prompt: 'Let guests cancel',
        answer: 'Added a signed link to the confirmation mail.',
        tools: [edit('/home/ada/engine/mail.ts'), commit('3f2a1bc', 'feat: cancel by signed link')],
      }),
    ],
  });
  assert.deepEqual(texts(found), { done: ['Guests can cancel a booking by mail'] });
  assert.deepEqual(found.projects[0]?.done[0]?.commits, ['3f2a1bc']);
});

test('what was decided and done in one turn is not said twice', async (t) => {
  const found = await recapOf(t, {
    memories: [memory('decision', 'Heavy stops are restricted to two-man vans', { turn: 'a' })],
    turns: [
      turn('a', 1, {
        prompt: 'heavy stops only with two-man vans please',
        answer: 'Stops with an item over 40 kg can now only be served by two-man vans.',
        tools: [edit('/home/ada/engine/stops.ts')],
      }),
    ],
  });
  assert.deepEqual(texts(found), { decided: ['Heavy stops are restricted to two-man vans'] });
});

test('two decisions of one turn about one thing are one line, the one with a reason', async (t) => {
  const found = await recapOf(t, {
    memories: [
      memory('decision', 'The schema is in place, with Kysely as the query layer', { turn: 'a' }),
      memory('decision', 'Use Kysely as the query layer', { turn: 'a', reason: 'we want to see the SQL' }),
      memory('decision', 'Berths are numbered per pier', { turn: 'a' }),
    ],
  });
  assert.deepEqual(texts(found), {
    decided: ['Use Kysely as the query layer. Why: We want to see the SQL', 'Berths are numbered per pier'],
  });
});

test('an order that its own turn carried out is done, not decided', async (t) => {
  const found = await recapOf(t, {
    memories: [
      memory('decision', 'Move the stays into their own file before we stop', { turn: 'a' }),
      memory('refactor', 'Everything about stays is in stay.ts now', { turn: 'a' }),
    ],
  });
  assert.deepEqual(texts(found), { done: ['Everything about stays is in stay.ts now'] });
});

test('the work of a subagent belongs to the turn that started it', async (t) => {
  const tools = [edit('/home/ada/engine/pages.ts')];
  const found = await recapOf(t, {
    turns: [
      turn('a', 1, { prompt: 'Split the pages module by route', answer: 'Ok!' }),
      turn('b', 2, { origin: 'subagent', continues: 'a', prompt: 'Edit pages.ts', answer: 'Ok!', tools }),
    ],
  });
  assert.deepEqual(texts(found), { done: ['Worked on: Split the pages module by route'] });
});

test('a request that was not finished is left open, unless it was asked again', async (t) => {
  const found = await recapOf(t, {
    turns: [
      turn('a', 1, { session: 's2', prompt: 'Move the queue to pg-boss today', outcome: 'interrupted' }),
      turn('b', 2, { session: 's3', prompt: 'Write the release notes for March', outcome: 'open' }),
      turn('c', 3, { session: 's4', prompt: 'Move the queue to pg-boss', answer: 'It uses pg-boss now.' }),
      turn('d', 4, { session: 's5', prompt: 'go on', outcome: 'interrupted' }),
    ],
  });
  assert.deepEqual(texts(found), { open: ['Not answered: Write the release notes for March'] });
  assert.equal(found.projects[0]?.open[0]?.turn, 'b');
});

test('issues from before are only counted', async (t) => {
  const found = await recapOf(t, {
    memories: [
      memory('issue', 'The importer drops rows', { at: OLD }),
      memory('issue', 'Avatars are too small on phones'),
    ],
  });
  assert.deepEqual(texts(found), { open: ['Avatars are too small on phones'] });
  assert.equal(found.projects[0]?.olderIssues, 1);
});

test('a personal preference belongs to the project in which the user said it', async (t) => {
  const said = memory('preference', 'Answer in short sentences, please', { project: PERSONAL_PROJECT });
  const byHand = memory('preference', 'Never use tabs in YAML files', {
    project: PERSONAL_PROJECT,
    provenance: { agent: 'claude-code', session: '', turn: 'hand', messages: [], by: 'person' },
  });
  const { projects } = await recapOf(t, { memories: [said, byHand] });
  const byName = Object.fromEntries(
    projects.map(({ name, decided }) => [name, decided.map(({ memory: id }) => id)]),
  );
  assert.deepEqual(byName, { shop: [said.id], Personal: [byHand.id] });
});

test('a long recap is cut evenly, keeps the newest lines and says how many more there are', async (t) => {
  const subjects = ['invoices', 'berths', 'stations', 'avatars', 'alarms', 'charts', 'mails', 'backups'];
  const found = await recapOf(
    t,
    {
      memories: [
        ...subjects.map((subject, i) => memory('decision', `Export ${subject} as plain text`, { at: at(i) })),
        memory('issue', 'The importer drops rows'),
      ],
    },
    { limit: 5 },
  );
  const [project] = found.projects as readonly [ProjectRecap];
  assert.deepEqual(
    project.decided.map(({ text }) => text.split(' ')[1]),
    ['alarms', 'charts', 'mails', 'backups'],
  );
  assert.deepEqual([project.open.length, project.more], [1, 4]);
  assert.match(recapMarkdown(found), /4 more lines\./);
});

test("the user's changes of the work log count", async (t) => {
  const log: WorkLog = {
    edited: (id) =>
      id === 'a' ? 'Asked: x. Done: Uploads retry three times, then give up. Files: up.ts.' : undefined,
    isDeleted: (id) => id === 'b',
  };
  const tools = [edit('/home/ada/engine/up.ts')];
  const found = await recapOf(
    t,
    {
      turns: [
        turn('a', 1, { prompt: 'Make uploads retry', answer: 'Ok!', tools }),
        turn('b', 2, { prompt: 'Try the secret thing with the shop', answer: 'Ok!', tools }),
      ],
    },
    { log: () => log },
  );
  assert.deepEqual(texts(found), { done: ['Uploads retry three times, then give up'] });
});

test('Markdown shows text of memories as text', async (t) => {
  const found = await recapOf(t, {
    memories: [memory('decision', 'Use <Suspense> and `<Await>` around *every* page')],
  });
  assert.match(recapMarkdown(found), /- Use \\<Suspense> and `<Await>` around \\\*every\\\* page/);
});

test('nothing at all is said plainly', async (t) => {
  assert.equal(
    recapMarkdown(await recapOf(t, {}, { project: PROJECT, since: '2026-11-09T00:00:00.000Z' })),
    '# Since Monday 9 November\n\nNothing happened in shop since Monday 9 November.',
  );
});
