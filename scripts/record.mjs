/**
 * Records the CLI at a real terminal (tmux) into docs/recordings/*.svg:
 *
 *   node scripts/record.mjs [session] [search] [doctor] [import] [install] [--claude PROGRAM] [--codex PROGRAM]
 *
 * Each scene has a home, a data folder and a client's settings of its own. Everything in the picture was printed by the
 * command. `session` is a film of two sessions of Claude Code (_recorded-session.mjs).
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { recordSession, SESSION_COLUMNS } from './_recorded-session.mjs';
import { root } from './_setup.mjs';
import { terminalFilm, terminalSvg } from './_terminal-svg.mjs';

const COLUMNS = 104;
const ROWS = 200; // tall enough that nothing scrolls away
const PROMPT = '$';
const PATIENCE_MS = 120_000;
const LOOK_MS = 100;

/** `before` runs without being recorded; `type` is typed at the terminal, one line after the other. */
const SCENES = {
  search: {
    before: ['tidemark import history'],
    type: [
      'tidemark search --all overlapping stays',
      'tidemark search --all --kind decision e-mails',
      'tidemark show nv9kpr4',
    ],
  },
  import: {
    before: [],
    type: [
      'tidemark import history --dry-run',
      'tidemark import history',
      'tidemark projects',
      'tidemark stats',
    ],
  },
  doctor: {
    before: [
      'tidemark install --yes',
      'tidemark import history',
      `printf '{"session_id":"3f0c8a52","hook_event_name":"SessionStart","source":"startup","cwd":"%s"}' "$PWD" | sh $PLUGIN/hooks/hook.sh SessionStart`,
      `printf '{"session_id":"3f0c8a52","hook_event_name":"UserPromptSubmit","prompt":"How large is the connection pool?","cwd":"%s"}' "$PWD" | sh $PLUGIN/hooks/hook.sh UserPromptSubmit`,
      `printf '{"session_id":"3f0c8a52","hook_event_name":"Stop","cwd":"%s"}' "$PWD" | sh $PLUGIN/hooks/hook.sh Stop`,
      'chmod go+r ~/.tidemark/ledger/*',
    ],
    type: ['tidemark doctor'],
  },
  install: { before: [], type: ['tidemark install --yes'] },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { claude: { type: 'string' }, codex: { type: 'string' } },
});
const FILM = 'session';
const known = [FILM, ...Object.keys(SCENES)];
const names = positionals.length > 0 ? positionals : known;
const unknown = names.find((name) => !known.includes(name));
if (unknown) throw new Error(`there is no scene "${unknown}"; scenes: ${known.join(', ')}`);
const folder = join(root, 'docs', 'recordings');
mkdirSync(folder, { recursive: true });
for (const name of names) {
  writeFileSync(join(folder, `${name}.svg`), name === FILM ? await film() : await picture(SCENES[name]));
  console.log(`docs/recordings/${name}.svg`);
}

async function film() {
  if (!values.claude) throw new Error(`${FILM} needs --claude PROGRAM`);
  const title =
    'Monday: a decision is made in a session of Claude Code. Tuesday: it returns before the edit.';
  return terminalFilm(await recordSession(values.claude), { title, columns: SESSION_COLUMNS });
}

async function picture(scene) {
  return terminalSvg(await record(scene), { title: scene.type[0], columns: COLUMNS });
}

async function record({ before, type }) {
  const home = mkdtempSync(join(tmpdir(), 'record-'));
  const socket = `record-${randomBytes(4).toString('hex')}`;
  const tmux = (...args) =>
    execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], { encoding: 'utf8' });
  const env = stage(home);
  let isOpen = false;
  try {
    for (const command of before)
      execFileSync('bash', ['-c', command], {
        env,
        cwd: env.PROJECT,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
    const inside = ['env', '-i', ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
    const shell = ['bash', '--norc', '--noprofile'];
    tmux(
      'new-session',
      '-d',
      '-x',
      String(COLUMNS),
      '-y',
      String(ROWS),
      '-c',
      env.PROJECT,
      ...inside,
      ...shell,
    );
    isOpen = true;
    await quiet(tmux);
    for (const line of type) {
      tmux('send-keys', '-l', line);
      tmux('send-keys', 'Enter');
      await quiet(tmux);
    }
    const screen = tmux('capture-pane', '-p', '-e').trimEnd();
    return withoutMachine(screen.slice(0, screen.lastIndexOf('\n')).trim(), home);
  } finally {
    execFileSync('bash', ['-c', 'tidemark stop || true'], { env, stdio: 'ignore' });
    if (isOpen) tmux('kill-server');
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Replaces the paths of this machine: home, Node, clone. */
function withoutMachine(screen, home) {
  return screen
    .replaceAll(home, '~')
    .replaceAll(process.execPath, '/usr/local/bin/node')
    .replaceAll(root, '~/tidemark');
}

/** Waits until the last line is only the prompt again: then the command is done. */
async function quiet(tmux) {
  const stopAt = Date.now() + PATIENCE_MS;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const last = tmux('capture-pane', '-p').trimEnd().split('\n').at(-1);
    if (last === PROMPT) return;
    if (Date.now() > stopAt) throw new Error(`still busy: ${last}`);
  }
}

/**
 * A home with the sample's sessions as its history, and the built program on its PATH. The sessions get other ids, because
 * doctor offers to remove the sample.
 */
function stage(home) {
  const bin = join(home, '.local', 'bin');
  const project = join(home, 'harbor-api');
  for (const folder of [bin, project, join(home, 'tmp')]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const sample = join(root, 'plugin', 'sample', 'projects', '-sample-harbor-api');
  const history = join(home, '.claude', 'projects', '-sample-harbor-api');
  mkdirSync(history, { recursive: true });
  for (const name of readdirSync(sample)) {
    const id = name.replace(/^\w{4}/, '0000');
    const text = readFileSync(join(sample, name), 'utf8').replaceAll(name.slice(0, -6), id.slice(0, -6));
    writeFileSync(join(history, id), text);
  }
  writeFileSync(
    join(bin, 'tidemark'),
    `#!/bin/sh\nexec ${process.execPath} ${join(root, 'plugin', 'dist', 'cli.cjs')} "$@"\n`,
  );
  chmodSync(join(bin, 'tidemark'), 0o755);
  for (const [name, path] of Object.entries(values)) {
    if (!existsSync(path)) throw new Error(`${path} does not exist`);
    symlinkSync(path, join(bin, name));
  }
  return {
    HOME: home,
    PROJECT: project,
    PLUGIN: join(root, 'plugin'),
    PATH: [bin, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    TMPDIR: join(home, 'tmp'),
    CLAUDE_PROJECT_DIR: project,
    PS1: `\\n${PROMPT} `,
  };
}
