import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import { everMem } from '../../src/server/evermem/index.ts';
import { serve, type Serving } from '../../src/server/http/index.ts';
import {
  addMember,
  createKey,
  createTeam,
  listAudit,
  listProjects,
  browse,
  countMemories,
  queueOf,
  setShare,
  TeamStore,
  type Caller,
} from '../../src/server/store/index.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { waitFor } from '../support/wait-for.ts';

interface Recorded {
  readonly client: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly json: any; // oxlint-disable-line no-explicit-any -- the assertions check the shape
}

const { skip } = postgresql;
const RECORDED = readFileSync(path.join(import.meta.dirname, '../fixtures/evermem/requests.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);

let postgres: Postgres;
let database: string;
let store: TeamStore;
let serving: Serving;
let owner: Caller;

before(async () => {
  if (skip) return;
  postgres = await startPostgres();
  database = await postgres.newOwnedDatabase();
  store = await TeamStore.open({ database });
  owner = await createTeam(store, { name: 'Acme', owner: 'Ada' });
  serving = await listening(store);
});
after(async () => {
  await serving?.close();
  await store?.close();
  await postgres?.remove();
});

for (const client of ['0.1.3', '0.1.3-dev', '0.2.0']) {
  test(`the recorded requests of ${client} store memories and recall them`, { skip }, async () => {
    const { key, caller } = await joined(`User of ${client}`);
    const requests = RECORDED.filter((one) => one.client === client);
    for (const request of requests) {
      const { status, text } = await replay(request, key);
      assert.equal(status, 200, `${request.method} ${request.path}: ${text}`);
    }
    const [listing, search] = [requests.find(isListing), requests.find(isSearch)];
    assert.ok(listing && search);
    const listed = await waitFor('the memory', async () => {
      const memories = memoriesIn(await replay(listing, key));
      return memories.length > 0 ? memories : undefined;
    });
    assert.deepEqual(
      listed.map(({ subject }: { subject: string }) => subject),
      ['Keep carts in PostgreSQL instead of Redis'],
    );
    const [found] = memoriesIn(await replay(search, key));
    assert.match(found.episode, /a lost cart costs us an order/);
    assert.match(found.summary, /upsert/);
    assert.ok(found.score >= 0.1 && found.score <= 1, String(found.score));
    assert.deepEqual([found.id, found.memory_type], [listed[0].id, 'episodic_memory']);
    const { items } = await store.transaction(caller, (work) => listProjects(work));
    assert.equal(items.length, 1);
    assert.ok(await isAudited('project.create', items[0]?.id), 'the new project is in the audit log');
    assert.deepEqual(
      items[0]?.keys.map((one) => one.split('/')[0]),
      ['evermem:shop_a7bdb'],
    );
  });
}

test('repeated messages change nothing', { skip }, async () => {
  const { key, caller } = await joined('Twice');
  const writes = RECORDED.filter(({ client, method }) => client === '0.1.3' && method === 'POST');
  const answers = await Promise.all([...writes, ...writes].map((request) => replay(request, key)));
  assert.ok(answers.every(({ status, json }) => status === 200 && json.status === 'queued'));
  await waitForMemories(caller, 1);
  for (const request of writes) await replay(request, key);
  const later = {
    ...JSON.parse(writes[0]?.body ?? ''),
    message_id: 'u_later',
    content: 'Always run the linter before a commit, we agreed on that because CI is slow.',
  };
  await post('/api/v0/memories', later, key);
  await post(
    '/api/v0/memories',
    {
      ...later,
      message_id: 'a_later',
      role: 'assistant',
      content: 'Noted. I added a hook that runs the linter before each commit in this repository.',
    },
    key,
  );
  await waitForMemories(caller, 2);
});

test('the answer to a message is "queued" in the format of each version', { skip }, async () => {
  const { key } = await joined('Queued');
  const { json } = await post('/api/v0/memories', message('u_1', 'user', 'x'), key);
  assert.deepEqual(Object.keys(json).toSorted(), ['message', 'request_id', 'status']);
  assert.equal(json.status, 'queued');
});

test('a session start is never recalled, and sets the session of later messages', { skip }, async () => {
  const { key, caller } = await joined('Starter');
  const start = message(
    'session_start_1',
    'user',
    '[Session Start] User created session at 2026-02-13T10:00:00Z. session_id: abc-123, group_id: g, path: /home/dev/shop',
  );
  await post('/api/v0/memories', start, key);
  await exchange(
    key,
    'g',
    'We decided to log in JSON because the collector needs it.',
    'Done: every line of the log is one JSON object from now on.',
  );
  const [memory] = await waitForMemories(caller, 1);
  assert.equal(memory?.entry.provenance.session, 'abc-123');
  const events = await store.transaction(caller, (work) =>
    work.rows('SELECT event, detail FROM tidemark.session_event'),
  );
  assert.equal(events[0]?.['event'], 'created');
  assert.ok(!JSON.stringify(events).includes('/home/dev'));
});

test('a secret in a message reaches neither the database nor an answer', { skip }, async () => {
  const { key, caller } = await joined('Careless');
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  await exchange(
    key,
    'g',
    `We decided to use the token ${secret} for releases because it works.`,
    `The token ${secret} is in the settings of the repository now, as you asked.`,
  );
  await waitForMemories(caller, 1);
  const rows = await store.transaction(caller, (work) =>
    work.rows(
      'SELECT m::text AS row FROM tidemark.message m UNION ALL SELECT m::text FROM tidemark.memory m',
    ),
  );
  assert.ok(rows.length > 0);
  assert.ok(!JSON.stringify(rows).includes(secret));
});

test('the text of a message is deleted after it became a memory', { skip }, async () => {
  const { key, caller } = await joined('Tidy');
  await exchange(
    key,
    'g',
    'We decided to ship on Tuesdays because Monday is for planning.',
    'Understood, the release job runs on Tuesdays at nine from now on.',
  );
  await waitForMemories(caller, 1);
  const rows = await store.transaction(caller, (work) =>
    work.rows('SELECT content, state FROM tidemark.message'),
  );
  assert.deepEqual(rows, [
    { content: '', state: 'done' },
    { content: '', state: 'done' },
  ]);
});

test(
  "a group made from a path leads to nobody else's project, but reads what is shared",
  { skip },
  async () => {
    const [ada, grace] = [await joined('Ada2'), await joined('Grace')];
    await exchange(
      ada.key,
      'work1a2b3',
      'We decided to use Vite because the old bundler is slow.',
      'Done, Vite builds the page now and the old bundler is gone.',
    );
    await waitForMemories(ada.caller, 1);
    assert.deepEqual(memoriesIn(await ask('Vite', 'work1a2b3', grace.key)), []);
    const { items } = await store.transaction(ada.caller, (work) => listProjects(work));
    await store.transaction(ada.caller, (work) =>
      setShare(work, items[0]?.id ?? '', { member: grace.caller.member, access: 'write' }),
    );
    await exchange(
      grace.key,
      'work1a2b3',
      'We decided to use Deno because it needs no build.',
      'Done, everything runs on Deno now and the build step is gone.',
    );
    await waitForMemories(grace.caller, 2);
    assert.match(memoriesIn(await ask('Vite', 'work_1a2b3', grace.key))[0].subject, /Vite/);
    assert.match(memoriesIn(await ask('Deno', 'work_1a2b3', grace.key))[0].subject, /Deno/);
    assert.deepEqual(memoriesIn(await ask('Deno', 'work_1a2b3', ada.key)), []);
  },
);

test('a chosen group is one project for all members it is shared with', { skip }, async () => {
  const [ada, grace] = [await joined('Ada4'), await joined('Grace4')];
  await exchange(
    ada.key,
    'harbour-web',
    'We decided to use Zod because the old checks are slow.',
    'Done, Zod checks every request now and the old code is gone.',
  );
  const [memory] = await waitForMemories(ada.caller, 1);
  assert.ok(memory);
  await store.transaction(ada.caller, (work) =>
    setShare(work, memory.project, { member: grace.caller.member, access: 'write' }),
  );
  await exchange(
    grace.key,
    'harbour-web',
    'We decided to use Pino because the old log is slow.',
    'Done, Pino writes the log now and the old code is gone.',
  );
  await waitForMemories(grace.caller, 2);
  const [found] = memoriesIn(await ask('Pino', 'harbour-web', ada.key));
  assert.match(found.subject, /Pino/);
  assert.deepEqual(found.participants, ['Grace4']);
});

test('another team sees nothing, whichever group it names', { skip }, async () => {
  const ada = await joined('Ada3');
  await exchange(
    ada.key,
    'g',
    'We decided to keep invoices for ten years because the law says so.',
    'Done, the retention of invoices is ten years now.',
  );
  await waitForMemories(ada.caller, 1);
  const stranger = await createTeam(store, { name: 'Other', owner: 'Mallory' });
  const key = await keyOf(stranger);
  for (const group of ['g', `g/${ada.caller.member}`, '', "g' OR '1'='1"]) {
    assert.deepEqual(memoriesIn(await ask('invoices', group, key)), []);
    const answer = await send(
      'GET',
      '/api/v0/memories',
      { user_id: 'claude-code-user', group_ids: [group] },
      key,
    );
    assert.deepEqual(memoriesIn(answer), []);
  }
});

test('SQL and markup in any field are only text', { skip }, async () => {
  const { key, caller } = await joined('Hostile');
  const hostile = [
    "'); DROP SCHEMA tidemark CASCADE; --",
    '\u0000',
    '\ud800',
    '$1',
    '%s',
    '\\',
    '😀'.repeat(20),
    '../../x',
  ];
  for (const [i, text] of hostile.entries()) {
    const fields = {
      message_id: `${i}${text}`,
      sender: `s${text}`,
      sender_name: text,
      group_id: `h${text}`,
      group_name: text,
    };
    const answer = await post('/api/v0/memories', { ...message('', 'user', `x${text}`), ...fields }, key);
    assert.equal(answer.status, 200, answer.text);
    for (const at of ['/api/v0/memories', '/api/v0/memories/search'])
      assert.equal(
        (await send('GET', at, { query: `carts ${text}`, user_id: text, group_ids: [`h${text}`] }, key))
          .status,
        200,
      );
  }
  assert.ok(
    (await store.transaction(caller, (work) => work.rows('SELECT 1 FROM tidemark.message'))).length > 0,
  );
});

test('a listing continues with the next page, newest first', { skip }, async () => {
  const { key, caller } = await joined('Lister');
  for (const [i, tool] of ['Vite', 'Deno', 'Bazel'].entries())
    await exchange(
      key,
      'g',
      `We decided to use ${tool} because the old one is slow.`,
      `Done, ${tool} is set up and the old tool is gone.`,
      i,
    );
  await waitForMemories(caller, 3);
  const page = async (asked: object) =>
    (await send('GET', '/api/v0/memories', { user_id: 'u', group_id: 'g', ...asked }, key)).json.result;
  const first = await page({ limit: 2, offset: 0 });
  assert.deepEqual([first.memories.length, first.total_count, first.has_more], [2, 3, true]);
  assert.match(first.memories[0].subject, /Bazel/);
  const last = await page({ page: 2, page_size: 2 });
  assert.deepEqual([last.memories.length, last.has_more], [1, false]);
  assert.deepEqual((await page({ memory_type: 'foresight' })).memories, []);
});

test('errors have a hint and nothing that the client would misread', { skip }, async () => {
  const { key } = await joined('Wrong');
  const reader = await joined('Reader', 'reader');
  const wrong: readonly (readonly [number, Answer])[] = [
    [400, await post('/api/v0/memories', { content: 'x' }, key)],
    [400, await send('GET', '/api/v0/memories/search', { query: 'x' }, key)],
    [400, await raw('POST', '/api/v0/memories', '{"half', key)],
    [401, await post('/api/v0/memories', message('u_1', 'user', 'x'), 'tmk_nobody_nothing')],
    [403, await post('/api/v0/memories', message('u_1', 'user', 'x'), reader.key)],
    [404, await post('/api/v0/memory', {}, key)],
    [413, await post('/api/v0/memories', message('u_1', 'user', 'x'.repeat(2 * 1024 * 1024)), key)],
  ];
  for (const [status, answer] of wrong) {
    assert.equal(answer.status, status, answer.text);
    assert.deepEqual(Object.keys(answer.json).toSorted(), ['code', 'message', 'status']);
    assert.equal(answer.json.status, 'failed');
    // A sentence, or the name of a field, which is not capitalised.
    assert.match(answer.json.message, /^(?:[A-Z]|\w+(?::| or )).*[.)]( .*)?$/s);
    if (status !== 401 && status !== 404) assert.doesNotMatch(answer.text, /401|404/);
  }
  assert.match(wrong[3]?.[1].json.message, /EVERMEM_API_KEY/);
  assert.match(wrong[5]?.[1].json.message, /EVERMEM_API_URL/);
});

test('the rate limit answers with the time to wait', { skip }, async () => {
  const hasty = await listening(store, { perSecond: 0.001, burst: 1 });
  try {
    const { key } = await joined('Hasty');
    await post('/api/v0/memories', message('u_1', 'user', 'x'), key, hasty);
    const answer = await post('/api/v0/memories', message('u_2', 'user', 'x'), key, hasty);
    assert.equal(answer.status, 429);
    assert.ok(Number(answer.headers['retry-after']) >= 1);
    assert.match(answer.json.message, /wait|after/i);
  } finally {
    await hasty.close();
  }
});

test('a server processes messages that another one received', { skip }, async () => {
  const { key, caller } = await joined('Patient');
  const first = await listening(store);
  await exchange(
    key,
    'g',
    'We decided to pin the compiler because nightly builds break.',
    'Done, the version of the compiler is pinned in the settings.',
    0,
    first,
  );
  await first.close();
  const next = await listening(store);
  try {
    await waitForMemories(caller, 1);
  } finally {
    await next.close();
  }
});

test('a message that the database refuses is set aside and does not block others', { skip }, async () => {
  const superuser = new Client({ connectionString: await asSuperuser() });
  await superuser.connect();
  await superuser.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'not this one'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON tidemark.memory FOR EACH ROW
        WHEN (NEW.title ~ 'arsenic') EXECUTE FUNCTION refuse()`);
  try {
    const { key, caller } = await joined('Poisoned');
    const told = ['cache tiles', 'use arsenic', 'pin the compiler'];
    for (const [i, what] of told.entries())
      await exchange(
        key,
        'g',
        `We decided to ${what} because it is better so.`,
        `Done, from now on we ${what} everywhere in the project.`,
        i,
      );
    const memories = await waitForMemories(caller, 2);
    assert.doesNotMatch(JSON.stringify(memories), /arsenic/);
    const { rows } = await superuser.query(
      "SELECT state, problem, content ~ 'arsenic' AS kept FROM tidemark.message WHERE member_id = $1 AND state <> 'done'",
      [caller.member],
    );
    const aside = { state: 'failed', problem: 'refused by the database', kept: true };
    assert.deepEqual(rows, [aside, aside]);
    assert.match(await metricsText(), /^tidemark_messages_set_aside 2$/m);
  } finally {
    await superuser.query('DROP TRIGGER refuse ON tidemark.memory; DROP FUNCTION refuse');
    await superuser.end();
  }
});

test('a large queue is processed completely', { skip }, async () => {
  const { key, caller } = await joined('Flood');
  for (let page = 0; page < 10; page++) {
    const messages = Array.from({ length: 100 }, (_, i) => {
      const n = page * 50 + Math.floor(i / 2);
      const role = i % 2 === 0 ? 'user' : 'assistant';
      const text = `We decided to renumber pier ${n} because ships ${n} could not find it. `;
      return { role, timestamp: Date.UTC(2026, 1, 13) + (n * 2 + (i % 2)) * 1000, content: text + role };
    });
    const { status, text } = await post('/api/v1/memories/group', { group_id: 'flood', messages }, key);
    assert.equal(status, 200, text);
  }
  const left = await waitFor(
    'the queue to be processed',
    async () => {
      const queue = await store.transaction(caller, (work) => queueOf(work));
      return queue.messages === 0 ? queue : undefined;
    },
    { timeout: 60_000 },
  );
  assert.deepEqual(left, { messages: 0 });
  assert.equal(await store.transaction(caller, (work) => countMemories(work, {})), 500);
});

test('a member with a full queue has to wait, other members do not', { skip }, async () => {
  const narrow = await listening(store, undefined, 10);
  try {
    const [{ key }, other] = [await joined('Torrent'), await joined('Trickle')];
    // Only questions, which wait for their answers.
    for (let i = 0; i < 10; i++)
      assert.equal((await post('/api/v0/memories', message(`u_${i}`, 'user', 'x'), key, narrow)).status, 200);
    const metrics = await (await fetch(`${narrow.url}/metrics`)).text();
    // Messages of other tests may be queued too.
    assert.ok(Number(/^tidemark_messages_waiting (\d+)$/m.exec(metrics)?.[1]) >= 10, metrics);
    assert.match(metrics, /^tidemark_messages_lag_seconds \d+/m);
    const refused = await post('/api/v0/memories', message('u_10', 'user', 'x'), key, narrow);
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers['retry-after']) >= 1);
    assert.match(refused.json.message, /are still queued\. Retry after/);
    const taken = await post('/api/v0/memories', message('u_0', 'user', 'x'), other.key, narrow);
    assert.equal(taken.status, 200);
  } finally {
    await narrow.close();
  }
});

test('without a database the answer is 502, and no queued message is lost', { skip }, async () => {
  const { key, caller } = await joined('Steady');
  await exchange(
    key,
    'g',
    'We decided to cache tiles because the map is slow.',
    'Done, tiles are cached for a day in front of the map.',
  );
  await postgres.stop('SIGINT');
  const answer = await post('/api/v0/memories', message('u_9', 'user', 'x'), key);
  assert.equal(answer.status, 502, answer.text);
  assert.match(answer.json.message, /Try again/);
  await postgres.start();
  await waitForMemories(caller, 1);
});

async function metricsText(): Promise<string> {
  return (await fetch(`${serving.url}/metrics`)).text();
}

/** Opens another server on the same database. */
async function asSuperuser(): Promise<string> {
  const url = new URL(await postgres.newDatabase());
  url.pathname = new URL(database).pathname;
  return url.href;
}

async function listening(
  of: TeamStore,
  rate = { perSecond: 1000, burst: 1000 },
  most = 10_000,
): Promise<Serving> {
  return serve({
    store: of,
    routes: [],
    mounts: [everMem({ most })],
    log: () => {},
    address: { host: '127.0.0.1', port: 0 },
    behindProxy: false,
    rate,
  });
}

async function joined(name: string, role: 'member' | 'reader' = 'member') {
  const { id } = await store.transaction(owner, (work) => addMember(work, { name, role }));
  const caller = { team: owner.team, member: id };
  return { caller, key: await keyOf(caller, role === 'reader' ? ['read'] : ['read', 'write']) };
}

async function keyOf(
  caller: Caller,
  scopes: readonly ('read' | 'write')[] = ['read', 'write'],
): Promise<string> {
  return store.transaction(
    caller,
    async (work) => (await createKey(work, { member: caller.member, name: 'evermem', scopes })).secret,
  );
}

function message(id: string, role: string, content: string, group = 'g', at = '2026-02-13T10:00:00.000Z') {
  return {
    message_id: id,
    create_time: at,
    sender: role === 'user' ? 'claude-code-user' : 'claude-assistant',
    role,
    content,
    group_id: group,
  };
}

async function exchange(
  key: string,
  group: string,
  asked: string,
  answered: string,
  hour = 0,
  to = serving,
): Promise<void> {
  const at = `2026-02-13T1${hour}:00:01.000Z`;
  const sent = [
    message(`u_${hour}`, 'user', asked, group, at),
    message(`a_${hour}`, 'assistant', answered, group, at),
  ];
  const answers = await Promise.all(sent.map((one) => post('/api/v0/memories', one, key, to)));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
    answers[0]?.text,
  );
}

async function waitForMemories(caller: Caller, count: number) {
  return waitFor(`${count} memories`, async () => {
    const memories = await store.transaction(caller, (work) => browse(work, {}, { limit: 10 }));
    return memories.length === count ? memories : undefined;
  });
}

async function isAudited(action: string, object: string | undefined): Promise<boolean> {
  const { items } = await store.transaction(owner, (work) => listAudit(work, { limit: 100 }));
  return items.some((entry) => entry.action === action && entry.object === object);
}

function ask(query: string, group: string, key: string): Promise<Answer> {
  return send(
    'GET',
    '/api/v0/memories/search',
    { query, user_id: 'claude-code-user', group_ids: [group], radius: 0.1 },
    key,
  );
}

function memoriesIn({ json }: Answer) {
  return json.result?.memories ?? json.data?.episodes;
}

function isListing({ method, path: at }: Recorded): boolean {
  return (method === 'GET' && at.startsWith('/api/v0/memories?')) || at === '/api/v1/memories/get';
}

function isSearch({ path: at }: Recorded): boolean {
  return at.endsWith('/search');
}

function replay({ method, path: at, body }: Recorded, key: string): Promise<Answer> {
  return raw(method, at, body, key);
}

function post(at: string, body: object, key: string, to = serving): Promise<Answer> {
  return raw('POST', at, JSON.stringify(body), key, to);
}

function send(method: string, at: string, body: object, key: string): Promise<Answer> {
  return raw(method, at, JSON.stringify(body), key);
}

/** Does not use `fetch`, which refuses to send a GET with a body. */
function raw(method: string, at: string, body: string, key: string, to = serving): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${key}`,
      ...(body === '' ? {} : { 'content-length': Buffer.byteLength(body) }),
    };
    const request = http.request(`${to.url}${at}`, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => (text += part));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          text,
          headers: response.headers,
          json: JSON.parse(text),
        }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}
