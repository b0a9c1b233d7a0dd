/**
 * A labelled project as the product remembers it: its transcripts are imported, its turns distilled by a language model
 * whose replies are recorded, and hooks are answered at a fixed time. A reply is found by the words of its turn, and the
 * entries that it ends by their titles, so that it stays usable when the rest of the request changes.
 *
 * `RECORD_REPLIES=FOLDER` writes requests without a reply to `FOLDER/<hash>.request.json`, waits for
 * `FOLDER/<hash>.reply.json` and keeps the reply among the fixtures. Anyone may answer who sees only the request.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { sessionId, writeTranscripts, type LabelledSession } from '../../bench/sessions.ts';
import {
  answerHook,
  EVERYWHERE,
  lookUpProject,
  noteInjection,
  openStores,
  Pauses,
  Pipeline,
  type Answer,
  type Question,
} from '../../src/capture/index.ts';
import { DEFAULT_CONFIG } from '../../src/config/index.ts';
import { contentHash, placesIn, type Places } from '../../src/core/index.ts';
import { Improver, localDistiller } from '../../src/distill/index.ts';
import { importHistory } from '../../src/exchange/import/index.ts';
import type { Stores } from '../../src/memory/index.ts';
import { byNameOnly } from '../../src/recall/ranking/signals.ts';

const FIXTURES = join(import.meta.dirname, '..', 'fixtures', 'golden');
const LOOK_MS = 50;
const HASH_CHARS = 12;
/** The highest ceilings that the settings allow: recorded replies cost nothing. */
const CEILING = '1000000000';

type Asked = Pick<Question, 'name'> &
  Partial<Omit<Question, 'session' | 'name'>> & { readonly session: string; readonly at: Date };

export class GoldenProject {
  readonly name: string;
  /** The end of the last session. */
  endedAt = new Date(0);
  readonly #stores: Stores;
  readonly #cwd: string;

  private constructor(name: string, stores: Stores, cwd: string) {
    this.name = name;
    this.#stores = stores;
    this.#cwd = cwd;
  }

  static async open(t: TestContext, name: string): Promise<GoldenProject> {
    const root = mkdtempSync(join(tmpdir(), 'tm-golden-'));
    t.after(() => rmSync(root, { recursive: true, force: true }));
    const [cwd, config, queue] = [join(root, name), join(root, 'config'), join(root, 'queue')];
    for (const folder of [cwd, queue]) mkdirSync(folder, { recursive: true });
    const { sessions } = JSON.parse(readFileSync(join(FIXTURES, `${name}.json`), 'utf8')) as {
      readonly sessions: readonly LabelledSession[];
    };
    const env = { PATH: process.env['PATH'], HOME: root, GIT_CONFIG_NOSYSTEM: '1' };
    const branch = `init.defaultBranch=${sessions[0]?.branch ?? 'main'}`;
    execFileSync('git', ['-c', branch, 'init', '-q'], { cwd, env });
    const places = placesIn(join(root, 'data'));
    mkdirSync(places.home, { recursive: true, mode: 0o700 });
    const { stores } = await openStores(places);
    t.after(() => close(stores));
    const replies = new Replies(name, queue);
    const project = new GoldenProject(name, stores, cwd);
    for (const session of sessions) {
      await project.#begin(session);
      const one = { name, sessions: [session], labels: [], end: { open: [], holds: [], never: [] } };
      const { endedAt, sessions: names } = writeTranscripts(one, { config, cwd });
      project.endedAt = endedAt;
      replies.nameSessions(names);
      await importAll(stores, config);
      await improve(stores, places, root, replies);
    }
    replies.check();
    return project;
  }

  /** A session starts with a brief, if something is remembered. */
  async #begin({ id, at }: LabelledSession): Promise<void> {
    const session = this.session(id);
    await this.ask({ name: 'SessionStart', source: 'startup', session, at: new Date(at) });
  }

  /** The id of one of the recorded sessions, by its label. */
  session(label: string): string {
    return sessionId(this.name, label);
  }

  /** Answers a hook and records the injection, as the daemon does. */
  async ask({ at, ...asked }: Asked): Promise<Answer> {
    const { index } = this.#stores;
    const place = await lookUpProject(this.#stores, this.#cwd, EVERYWHERE);
    const question = { projectDir: this.#cwd, already: [], since: '', ...asked };
    const answer = answerHook(
      index,
      question,
      { ...place, signals: byNameOnly(place.branch) },
      DEFAULT_CONFIG,
      at,
    );
    const event = `${asked.name} ${at.toISOString()}`;
    await noteInjection(this.#stores, { ...answer, session: asked.session, event, at: at.toISOString() });
    return answer;
  }
}

async function importAll(stores: Stores, configDir: string): Promise<void> {
  const scope = EVERYWHERE;
  const pipeline = new Pipeline({
    stores,
    distiller: localDistiller,
    pauses: new Pauses(),
    scope,
    onCaptured: () => {},
  });
  const { signal } = new AbortController();
  await importHistory(
    stores,
    pipeline,
    {
      sources: [{ agent: 'claude-code', folder: configDir }],
      dryRun: false,
      finished: true,
      scope,
      signal,
    },
    () => {},
  );
}

async function improve(stores: Stores, places: Places, home: string, replies: Replies): Promise<void> {
  const improver = new Improver({
    places,
    env: {
      HOME: home,
      TIDEMARK_DISTILL_DRIVER: 'queue',
      TIDEMARK_DISTILL_QUEUE: replies.queue,
      TIDEMARK_DISTILL_CONSENT: 'true',
      TIDEMARK_DISTILL_DAILY_TOKENS: CEILING,
      TIDEMARK_DISTILL_SESSION_TOKENS: CEILING,
    },
    programFolders: [],
    use: async (work) => work(stores),
    tell: () => {},
  });
  const timer = setInterval(() => replies.look(), LOOK_MS);
  try {
    const report = await improver.run({ since: new Date(0).toISOString() }, replies.signal, () => {});
    replies.throwIfMissing();
    assert.equal(report.stopped, undefined);
    assert.equal(report.failed, 0, 'a recorded reply could not be read');
  } finally {
    clearInterval(timer);
    await improver.stop();
  }
}

/** Gives recorded replies to the driver `queue`. */
class Replies {
  readonly queue: string;
  readonly #folder: string;
  readonly #record = process.env['RECORD_REPLIES'];
  readonly #sessions = new Map<string, string>();
  readonly #stop = new AbortController();
  readonly #used = new Set<string>();
  #missing: string | undefined;
  #error: unknown;

  constructor(project: string, queue: string) {
    this.queue = queue;
    this.#folder = join(FIXTURES, project);
    mkdirSync(this.#folder, { recursive: true });
    if (this.#record !== undefined) mkdirSync(this.#record, { recursive: true });
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Answers what it can. An error ends the run instead of leaving the driver to wait. */
  look(): void {
    try {
      for (const file of readdirSync(this.queue).filter((name) => name.endsWith('.request.json'))) {
        const reply = join(this.queue, file.replace('.request.json', '.reply.txt'));
        if (!existsSync(reply)) this.#answer(join(this.queue, file), reply);
      }
    } catch (error) {
      this.#error = error;
      this.#stop.abort();
    }
  }

  nameSessions(names: ReadonlyMap<string, string>): void {
    for (const [id, label] of names) this.#sessions.set(id, label);
  }

  throwIfMissing(): void {
    assert.ifError(this.#error);
    assert.equal(
      this.#missing,
      undefined,
      'a request has no recorded reply: the request changed. Record it: RECORD_REPLIES=FOLDER UPDATE_GOLDEN=1 node --test test/golden/golden.test.ts',
    );
  }

  /** Reports replies that no request asked for; removes them while recording. */
  check(): void {
    const unused = readdirSync(this.#folder).filter((file) => !this.#used.has(file));
    if (this.#record === undefined) assert.deepEqual(unused, [], 'replies that nothing asked for');
    else for (const file of unused) rmSync(join(this.#folder, file));
  }

  #answer(requestFile: string, replyFile: string): void {
    const { prompt, session } = JSON.parse(readFileSync(requestFile, 'utf8')) as Request;
    const hash = contentHash(turnIn(prompt)).slice(0, HASH_CHARS);
    const file = readdirSync(this.#folder).find((name) => name.includes(hash));
    const known = file && (JSON.parse(readFileSync(join(this.#folder, file), 'utf8')) as Recorded);
    const text = known && renamed(known, namesIn(prompt));
    if (file !== undefined && text !== undefined) {
      this.#used.add(file);
      writeFileSync(`${replyFile}.new`, text);
      renameSync(`${replyFile}.new`, replyFile);
    } else if (this.#record === undefined) {
      this.#missing = hash;
      this.#stop.abort();
    } else this.#askFor(hash, session, prompt, requestFile);
  }

  #askFor(hash: string, session: string, prompt: string, requestFile: string): void {
    const folder = this.#record ?? '';
    const given = join(folder, `${hash}.reply.json`);
    const request = join(folder, `${hash}.request.json`);
    if (existsSync(given)) {
      const text = readFileSync(given, 'utf8');
      if (!text.trimEnd().endsWith('}')) return; // it is being written
      const reply = JSON.parse(text) as Reply;
      const used = new Set(reply.operations.flatMap(({ id, ends }) => [id, ...ends]));
      const names = Object.fromEntries([...namesIn(prompt)].filter(([name]) => used.has(name)));
      const number = String(this.#used.size + 1).padStart(2, '0');
      const recorded: Recorded = { names, reply };
      writeFileSync(
        join(this.#folder, `${number}-${this.#sessions.get(session)}-${hash}.json`),
        `${JSON.stringify(recorded, null, 1)}\n`,
      );
      rmSync(request, { force: true });
    } else if (!existsSync(request)) copyFileSync(requestFile, request);
  }
}

interface Request {
  readonly prompt: string;
  readonly session: string;
}

interface Reply {
  readonly operations: readonly { readonly id: string; readonly ends: readonly string[] }[];
}

interface Recorded {
  /** The names by which the reply means remembered entries → their titles. */
  readonly names: Readonly<Record<string, string>>;
  readonly reply: Reply;
}

/** The words of the user and of the agent in the turn; all of a request of another form. */
function turnIn(prompt: string): string {
  const said = ['The user', 'The agent'].map((title) => sectionOf(prompt, title));
  return said.every((text) => text === '') ? prompt : said.join('\n');
}

function sectionOf(prompt: string, title: string): string {
  const found = new RegExp(`^## ${title}\\n([\\s\\S]*?)(?=\\n\\n## [A-Z]|\\n</tidemark-memory>)`, 'm').exec(
    prompt,
  );
  return found?.[1] ?? '';
}

/** `m1 2026-03-02 open issue: Title`: name → title */
function namesIn(prompt: string): ReadonlyMap<string, string> {
  const found = prompt.matchAll(/^([mn]\d+) [\d-]+ [^:\n]+: (.+)$/gm);
  return new Map([...found].map(([, name = '', title = '']) => [name, title]));
}

/** The reply with the names that the entries have in this request. Undefined if one of them is not in it. */
function renamed({ names, reply }: Recorded, now: ReadonlyMap<string, string>): string | undefined {
  const byTitle = new Map([...now].map(([name, title]) => [title, name]));
  const isKnown = Object.values(names).every((title) => byTitle.has(title));
  if (!isKnown) return undefined;
  const nameOf = (name: string): string => byTitle.get(names[name] ?? '') ?? name;
  const operations = reply.operations.map((operation) => ({
    ...operation,
    id: nameOf(operation.id),
    ends: operation.ends.map(nameOf),
  }));
  return JSON.stringify({ ...reply, operations });
}

async function close(stores: Stores): Promise<void> {
  await stores.pages.flush();
  await stores.journal.close();
  await Promise.all([stores.turns.close(), stores.ledger.close()]);
  stores.index.close();
}
