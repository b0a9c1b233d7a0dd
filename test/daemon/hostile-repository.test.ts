/**
 * A repository whose config names a program at every place where git would start one. No verb and no hook starts it:
 * every git process of the product runs with the settings of src/capture/git/git-process.ts.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { askGit } from '../../src/capture/index.ts';
import { CliHost } from '../support/cli-host.ts';
import { GitRepo } from '../support/git-repo.ts';
import { Machine } from '../support/machine.ts';
import { titled } from '../support/stored.ts';
import { uuid } from '../support/synthetic-transcript.ts';

const VERBS: readonly (readonly string[])[] = [
  ['journal'],
  ['journal', 'merging'],
  ['journal', 'in-repository'],
  ['journal', 'merging', '.tidemark/journal'],
  ['remember', 'The build needs Node 24.', '--kind', 'pattern'],
  ['search', 'Redis'],
  ['blame', 'src/a.ts:1'],
  ['blame', 'src/same.ts:1'],
  ['brief'],
  ['timeline'],
  ['sessions'],
  ['status'],
  ['doctor'],
  ['projects'],
  ['why'],
  ['stats'],
  ['import', 'history'],
  ['pause', '--here'],
  ['resume', '--here'],
  ['journal', 'back'],
];

const PROMPT = 'We decided to use Redis because it is fast.';

test('no hook and no verb starts a program that a repository names', async (t) => {
  const machine = Machine.open(t);
  const hostile = hostileRepository(machine);
  await machine.up();
  await rememberedSession(machine, hostile.root);
  hostile.assertUnused('hooks');
  const cli = new CliHost(machine, { cwd: hostile.root, env: hostile.env });
  for (const verb of VERBS) {
    const { code, stderr } = await cli.run(verb);
    if (verb[0] === 'journal' || verb[0] === 'blame') assert.equal(code, 0, stderr);
    hostile.assertUnused(verb.join(' '));
  }
  await machine.drained();
  hostile.assertUnused('the daemon');
});

test('journal in-repository counts uncommitted files without running a filter', async (t) => {
  const machine = Machine.open(t);
  const hostile = hostileRepository(machine);
  await machine.up();
  await rememberedSession(machine, hostile.root);
  const moved = await machine.cli(['journal', 'in-repository', '--json'], { cwd: hostile.root });
  assert.equal(moved.code, 0, moved.stderr);
  const { merging, folder } = JSON.parse(moved.stdout) as {
    merging: { uncommitted: number; ignored: boolean };
    folder: string;
  };
  assert.equal(merging.ignored, false);
  assert.equal(merging.uncommitted, 3, 'the day, .gitattributes and .gitignore');
  const clean = new GitRepo(hostile.root, machine.home);
  rmSync(join(hostile.root, '.git', 'info', 'attributes'));
  rmSync(join(hostile.root, '.gitattributes'));
  writeFileSync(join(hostile.root, '.git', 'config'), '[core]\n\trepositoryformatversion = 0\n');
  clean.git('add', '-A');
  clean.git('commit', '-q', '-m', 'journal');
  const again = async () =>
    JSON.parse((await machine.cli(['journal', 'merging', folder, '--json'])).stdout) as {
      uncommitted: number;
    };
  assert.equal((await again()).uncommitted, 0);
  appendFileSync(join(folder, '.gitignore'), '*.bak\n');
  assert.equal((await again()).uncommitted, 1);
  hostile.assertUnused('journal in-repository');
});

test('a missing object is not fetched from a remote of the repository', async (t) => {
  const machine = Machine.open(t);
  const hostile = hostileRepository(machine);
  const [first = ''] = hostile.commits;
  rmSync(join(hostile.root, '.git', 'objects', first.slice(0, 2), first.slice(2)));
  await askGit({ root: hostile.root, args: ['rev-list', '--max-parents=0', 'HEAD'], timeoutMs: 20_000 });
  await askGit({
    root: hostile.root,
    args: ['cat-file', '--batch-check'],
    input: `${first}\n${'1'.repeat(40)}\n`,
    timeoutMs: 20_000,
  });
  hostile.assertUnused('a lazy fetch');
});

test('a bare repository inside a work tree and a .git file that points elsewhere start nothing', async (t) => {
  const machine = Machine.open(t);
  const hostile = hostileRepository(machine);
  const bare = join(machine.root, 'clone', 'docs');
  mkdirSync(join(machine.root, 'clone'));
  renameSync(join(hostile.root, '.git'), bare);
  appendFileSync(join(bare, 'config'), '[core]\n\tbare = true\n');
  const pointing = join(machine.root, 'pointing');
  mkdirSync(pointing);
  writeFileSync(join(pointing, '.git'), `gitdir: ${bare}\n`);
  await machine.up();
  for (const folder of [bare, pointing]) {
    await session(machine, folder);
    const cli = new CliHost(machine, { cwd: folder });
    for (const verb of VERBS) await cli.run(verb);
    hostile.assertUnused(folder);
  }
});

test('journal in-repository does not write through a link of the repository', async (t) => {
  const machine = Machine.open(t);
  const outside = join(machine.root, 'outside');
  mkdirSync(outside);
  const repo = GitRepo.init(machine.project, machine.home);
  repo.commit('a.txt', 'a');
  await machine.up();
  for (const link of ['.tidemark', join('.tidemark', 'journal')]) {
    if (link !== '.tidemark') mkdirSync(join(machine.project, '.tidemark'));
    symlinkSync(outside, join(machine.project, link));
    const { code, stderr } = await machine.cli(['journal', 'in-repository']);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /is a link/);
    rmSync(join(machine.project, link));
  }
  execFileSync('mkfifo', [join(machine.project, '.tidemark', 'journal')]);
  const pipe = await machine.cli(['journal', 'in-repository']);
  assert.match(pipe.stderr, /is not a folder/);
  rmSync(join(machine.project, '.tidemark', 'journal'));
  mkdirSync(join(machine.project, '.tidemark', 'journal'), { recursive: true });
  const profile = join(machine.home, '.profile');
  writeFileSync(profile, '# mine\n');
  symlinkSync(profile, join(machine.project, '.tidemark', 'journal', '.gitattributes'));
  const { code, stderr } = await machine.cli(['journal', 'in-repository']);
  assert.equal(code, 2, stderr);
  assert.equal(readFileSync(profile, 'utf8'), '# mine\n');
});

interface Hostile {
  readonly root: string;
  readonly commits: readonly string[];
  /** Variables of git that a shell may pass on. */
  readonly env: Readonly<Record<string, string>>;
  assertUnused(during: string): void;
}

function hostileRepository(machine: Machine): Hostile {
  const root = machine.project;
  const marker = join(machine.root, 'started');
  const program = join(machine.root, 'evil');
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >>'${marker}'\ncat 2>/dev/null\n`);
  chmodSync(program, 0o755);
  const repo = GitRepo.init(root, machine.home);
  const commits = [
    repo.commit('src/a.ts', 'one'),
    repo.commit('src/a.ts', 'two'),
    repo.commit('src/same.ts', 'same'),
  ];
  const hooks = join(machine.root, 'hooks');
  mkdirSync(hooks);
  for (const name of ['post-index-change', 'reference-transaction', 'pre-auto-gc', 'fsmonitor-watchman'])
    symlinkSync(program, join(hooks, name));
  const included = join(root, 'included.config');
  writeFileSync(included, `[alias]\n\tlog = !${program}\n[core]\n\tfsmonitor = ${program} included\n`);
  const config = `
[core]
	repositoryformatversion = 1
	fsmonitor = ${program} fsmonitor
	hooksPath = ${hooks}
	sshCommand = ${program} ssh
	gitProxy = ${program} proxy
	pager = ${program} pager
	editor = ${program} editor
	askPass = ${program} askpass
	attributesFile = ${join(root, 'more-attributes')}
	alternateRefsCommand = ${program} alternates
	untrackedCache = true
[extensions]
	partialClone = origin
[remote "origin"]
	url = ${machine.root}
	promisor = true
	uploadpack = ${program} uploadpack
	partialclonefilter = blob:none
[remote "ext"]
	url = ext::${program} ext
	vcs = evil
[protocol "ext"]
	allow = always
[protocol "file"]
	allow = always
[filter "evil"]
	clean = ${program} clean
	smudge = ${program} smudge
	required = true
[filter "running"]
	process = ${program} process
[diff]
	external = ${program} diff
[diff "evil"]
	textconv = ${program} textconv
	command = ${program} diffcommand
[merge "evil"]
	driver = ${program} merge
[interactive]
	diffFilter = ${program} interactive
[credential]
	helper = !${program} credential
[gpg]
	program = ${program}
[log]
	showSignature = true
[pager]
	log = ${program} pagerlog
	config = ${program} pagerconfig
[alias]
	status = !${program} alias
	ls-files = !${program} alias
[submodule]
	recurse = true
[status]
	submoduleSummary = true
[trailer "x"]
	command = ${program} trailer
[include]
	path = ${included}
`;
  writeFileSync(join(root, '.git', 'config'), config);
  writeFileSync(join(root, '.git', 'info', 'attributes'), '* filter=evil diff=evil merge=evil\n');
  writeFileSync(join(root, 'more-attributes'), '*.md filter=running\n');
  writeFileSync(join(root, '.gitattributes'), '*.ts filter=running diff=evil\n* filter=evil\n');
  // Git compares the content of a file only if its size and times differ from the index.
  writeFileSync(join(root, 'src', 'a.ts'), 'tw0');
  return {
    root,
    commits,
    env: {
      GIT_EXTERNAL_DIFF: `${program} external`,
      GIT_SSH_COMMAND: `${program} sshcommand`,
      GIT_PAGER: `${program} gitpager`,
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.fsmonitor',
      GIT_CONFIG_VALUE_0: `${program} counted`,
      GIT_CONFIG_PARAMETERS: `'core.fsmonitor'='${program} parameters'`,
    },
    assertUnused: (during) =>
      assert.equal(existsSync(marker) ? readFileSync(marker, 'utf8') : '', '', `started by ${during}`),
  };
}

async function rememberedSession(machine: Machine, project: string): Promise<void> {
  await session(machine, project);
  assert.ok((await titled(machine, 'Redis')).length > 0, 'the session was remembered');
}

/** One turn that edits a file, by real hooks. */
async function session(machine: Machine, project: string): Promise<void> {
  const id = { session_id: uuid(project) };
  const fire = (hook: Parameters<Machine['hook']>[0], more: object) =>
    machine.hook(hook, { ...id, ...more }, { project });
  await fire('SessionStart', { source: 'startup' });
  await fire('UserPromptSubmit', { prompt: PROMPT });
  await fire('Stop', { last_assistant_message: 'Done.' });
  await fire('SessionEnd', { reason: 'other' });
  await machine.drained();
}
