/**
 * Two sessions of the real Claude Code in a terminal (tmux), for the recording in the README: on the first day a decision
 * is made, on the second it returns before the edit. The client, the hooks, the daemon and the memory are real; a stand-in
 * plays the model. On the second day the stand-in quotes what was injected, so a recording without it fails.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { placesIn } from '../src/core/index.ts';
import { callDaemon } from '../test/support/call.ts';
import { startMockApi } from '../test/support/mock-api.ts';
import { root } from './_setup.mjs';

export const SESSION_COLUMNS = 96;
const ROWS = 30;
const PATIENCE_MS = 60_000;
const LOOK_MS = 60;
/** How long the stand-in thinks, so that each step is seen. */
const THINK_MS = 700;
/** A prompt is typed in this many steps. */
const TYPED_STEPS = 7;
const TYPED_LEAST = 4;

const DAY_MS = 24 * 60 * 60 * 1000;

const FILE = 'src/auth.ts';
const BEFORE = `export async function refresh(token: string) {
  const session = await sessions.find(token);
  return issue(session.user, { refresh: token });
}
`;
const DECISION =
  'We decided to rotate refresh tokens on every use, because a stolen token must die at its first reuse. Please do that in src/auth.ts.';
const REQUEST = 'Refreshing is slow. Please cache the refresh tokens in src/auth.ts.';

/** Returns the frames: `screen` with colours, and how long it is shown in ms. */
export async function recordSession(claude) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'record-')));
  const project = join(home, 'shop');
  mkdirSync(join(project, 'src'), { recursive: true });
  mkdirSync(join(home, 'tmp'), { mode: 0o700 });
  writeFileSync(join(project, FILE), BEFORE);
  const model = await startMockApi();
  const env = environment(home, project, model.url);
  const shown = (screen) => withoutBanner(screen.replaceAll(home, '~'));
  const monday = { ...env, TIDEMARK_HOME: join(home, 'monday') };
  const tuesday = { ...env, TIDEMARK_HOME: join(home, 'tuesday') };
  try {
    const first = await firstDay({ claude, env: monday, project, model, shown });
    setBack(env.CLAUDE_CONFIG_DIR);
    tidemark(tuesday, 'import', 'history');
    await remembered(tuesday);
    const second = await secondDay({ claude, env: tuesday, project, model, shown });
    return [
      card('Monday', 900),
      ...first,
      card('Tuesday: a new session that knows nothing', 1600),
      ...second,
    ];
  } finally {
    for (const day of [monday, tuesday]) tidemark(day, 'stop');
    await model.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

function tidemark(env, ...args) {
  const program = join(root, 'plugin', 'dist', 'cli.cjs');
  execFileSync(process.execPath, [program, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
}

async function firstDay({ claude, env, project, model, shown }) {
  const path = join(project, FILE);
  const after = BEFORE.replace('{ refresh: token }', '{ refresh: await sessions.rotate(token) }');
  play(model, [
    { tools: [{ name: 'Read', input: { file_path: path } }] },
    {
      tools: [
        { name: 'Edit', input: { file_path: path, old_string: lineOf(BEFORE), new_string: lineOf(after) } },
      ],
    },
    { text: 'Done: every refresh now ends the token it was made with.' },
    { text: 'You are welcome.' },
  ]);
  const terminal = openTerminal({ claude, env, project, shown, day: 'Monday' });
  try {
    await terminal.start();
    await terminal.prompt(DECISION);
    await terminal.until('Update(', 900);
    await terminal.until('Done: every refresh', 1200);
    await remembered(env); // so that the next prompt shows it
    await terminal.prompt('Thanks!');
    await terminal.until(/Remembered: [^]*You are welcome[^]*· done /, 2600);
    return terminal.frames;
  } finally {
    await terminal.close();
  }
}

async function secondDay({ claude, env, project, model, shown }) {
  const path = join(project, FILE);
  const code = readFileSync(path, 'utf8');
  const old = code.split('\n').find((line) => line.includes('find'));
  const edit = {
    file_path: path,
    old_string: old,
    new_string: old.replace('sessions.find', 'cachedSessions.find'),
  };
  play(model, [
    { tools: [{ name: 'Read', input: { file_path: path } }] },
    (request) => ({ text: answerTo(request), tools: [{ name: 'Edit', input: edit }] }),
    { text: 'Refreshing now takes one query, and every token still works once.' },
  ]);
  const terminal = openTerminal({ claude, env, project, shown, day: 'Tuesday' });
  try {
    await terminal.start(/Rotate\s+refresh\s+tokens/, 3000);
    await terminal.prompt(REQUEST);
    await terminal.until('Before I edit', 3000);
    await terminal.until(/· done /, 4000);
    return terminal.frames;
  } finally {
    await terminal.close();
  }
}

/** Quotes the decision and its reason, which nothing but the injected memory says on the second day. */
function answerTo(request) {
  const said = JSON.stringify(request.messages);
  const [decision, reason] = [
    /rotate refresh tokens on every use/i,
    /a stolen token must die at its first reuse/i,
  ].map((words) => words.exec(said)?.[0].toLowerCase());
  if (!decision || !reason) throw new Error('the decision was not injected');
  return `Before I edit: yesterday you decided to ${decision}, because ${reason}. A cached token would be used twice, so I cache the session instead.`;
}

/** A screen with a few words in the middle. */
function card(words, ms) {
  const left = ' '.repeat(Math.floor((SESSION_COLUMNS - words.length) / 2));
  return {
    title: 'Claude Code',
    screen: `${'\n'.repeat(Math.floor(ROWS / 3))}${left}\u001b[1m${words}\u001b[0m`,
    ms,
  };
}

/**
 * Without the client's banner, which names a model: a stand-in plays it here. Two signs that few fonts have are replaced
 * by similar ones.
 */
function withoutBanner(screen) {
  const lines = screen.replaceAll('⎿', '└').replaceAll('⏵', '▸').split('\n');
  const end = lines.findIndex((line) => line.includes('~/shop'));
  return lines.slice(end < 0 ? 0 : end + 2).join('\n'); // it may have scrolled away
}

/** The next replies of the stand-in; a function makes one from the request. */
function play(model, replies) {
  model.rules.length = 0;
  for (const reply of replies) {
    const own = typeof reply === 'function' ? reply : () => reply;
    let request;
    model.rules.push({
      when: { hasTool: 'Bash' },
      times: 1,
      get reply() {
        request = model.requests.at(-1);
        return { delayMs: THINK_MS, ...own(request) };
      },
    });
  }
}

function lineOf(code) {
  return code.split('\n').find((line) => line.includes('return'));
}

/** Makes yesterday of the first session: its transcript is a day older, and the second day's memory is read from it. */
function setBack(config) {
  const sessions = join(config, 'projects');
  for (const name of readdirSync(sessions, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.jsonl')) continue;
    const path = join(sessions, name);
    const moved = readFileSync(path, 'utf8').replaceAll(/"(\d{4}-\d\d-\d\dT[\d:.]+Z)"/g, (_, at) =>
      JSON.stringify(new Date(Date.parse(at) - DAY_MS).toISOString()),
    );
    writeFileSync(path, moved);
    const ended = new Date(Date.now() - DAY_MS);
    utimesSync(path, ended, ended);
  }
}

/** Waits until the journal has the decision and the small model has read the turn. */
async function remembered({ TIDEMARK_HOME: home }) {
  const journal = join(home, 'journal');
  await untilTrue('the decision in the journal', () =>
    readdirSync(journal, { recursive: true, encoding: 'utf8' }).some(
      (name) =>
        name.endsWith('.md') && /rotate refresh tokens/i.test(readFileSync(join(journal, name), 'utf8')),
    ),
  );
  await untilTrue(
    'the small model to have read the turn',
    async () => (await callDaemon(placesIn(home), 'keep.health', {})).waiting === 0,
  );
}

function openTerminal({ claude, env, project, shown, day }) {
  const socket = `record-${randomBytes(4).toString('hex')}`;
  const tmux = (...args) =>
    execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], { encoding: 'utf8' });
  const frames = [];
  const keep = (ms) =>
    frames.push({ title: `Claude Code · ${day}`, screen: shown(tmux('capture-pane', '-p', '-e')), ms });
  const until = (what, ms) =>
    untilTrue(
      String(what),
      () => {
        const screen = tmux('capture-pane', '-p', '-J');
        return typeof what === 'string' ? screen.includes(what) : what.test(screen);
      },
      () => tmux('capture-pane', '-p'),
    ).then(() => keep(ms));
  return {
    frames,
    until,
    async start(what = '❯', ms = 300) {
      const inside = ['env', '-i', ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
      const program = [
        claude,
        '--plugin-dir',
        join(root, 'plugin'),
        '--allowedTools',
        'Read,Edit',
        '--permission-mode',
        'acceptEdits',
      ];
      tmux(
        'new-session',
        '-d',
        '-x',
        String(SESSION_COLUMNS),
        '-y',
        String(ROWS),
        '-c',
        project,
        ...inside,
        ...program,
      );
      await until('❯', 300);
      await until(what, ms);
    },
    async prompt(text) {
      const step = Math.max(TYPED_LEAST, Math.ceil(text.length / TYPED_STEPS));
      for (let at = 0; at < text.length; at += step) {
        const part = text.slice(at, at + step);
        tmux('send-keys', '-l', '--', part);
        await new Promise((resolve) => setTimeout(resolve, 150));
        keep(at + step < text.length ? 160 : 800);
      }
      tmux('send-keys', 'Enter');
    },
    async close() {
      const client = Number(tmux('list-panes', '-F', '#{pane_pid}'));
      tmux('kill-server');
      await untilTrue('the end of the client', () => !isAlive(client));
    },
  };
}

async function untilTrue(what, look, explain = () => '') {
  const stopAt = Date.now() + PATIENCE_MS;
  while (!(await look())) {
    if (Date.now() > stopAt) throw new Error(`${what}: not in time\n${explain()}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Nothing is inherited, and the questions of the client's first start are answered. */
function environment(home, project, url) {
  const config = join(home, '.claude');
  mkdirSync(config);
  const settings = {
    hasCompletedOnboarding: true,
    customApiKeyResponses: { approved: ['dummy'], rejected: [] },
    projects: { [project]: { hasTrustDialogAccepted: true } },
  };
  writeFileSync(join(config, '.claude.json'), JSON.stringify(settings));
  return {
    HOME: home,
    PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    SHELL: '/bin/sh',
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    TMPDIR: join(home, 'tmp'),
    CLAUDE_CODE_TMPDIR: join(home, 'tmp'),
    CLAUDE_CONFIG_DIR: config,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
  };
}
