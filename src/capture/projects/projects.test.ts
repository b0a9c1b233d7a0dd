import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Project } from '../../core/index.ts';
import { IGNORE_FILE, resolveProject, rootCommit, type ResolveOptions } from './projects.ts';

let home: string;
let base: string;
let known: Map<string, Project>;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-projects-')));
  base = join(home, 'work');
  mkdirSync(base);
  known = new Map();
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function git(dir: string, ...args: readonly string[]): string {
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.org',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.org',
    GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z', // else the same text makes the same root only within one second
  };
  const options = ['-c', 'init.defaultBranch=main', '-c', 'protocol.file.allow=always'];
  return execFileSync('git', [...options, ...args], { cwd: dir, env, encoding: 'utf8', stdio: 'pipe' });
}

/** The first commit's text makes histories unrelated: same text, same root. */
function repository(name: string, remote?: string, first = name): string {
  const dir = join(base, name);
  mkdirSync(dir, { recursive: true });
  git(dir, 'init', '-q');
  git(dir, 'commit', '-q', '--allow-empty', '--date', '2026-01-01T00:00:00Z', '-m', first);
  if (remote !== undefined) git(dir, 'remote', 'add', 'origin', remote);
  return dir;
}

function plain(name: string): string {
  const dir = join(base, name);
  mkdirSync(dir, { recursive: true });
  return dir;
}

function resolve(dir: string, options: Partial<ResolveOptions> = {}) {
  const byKey = (key: string) => [...known.values()].find((project) => project.keys.includes(key));
  const found = resolveProject(dir, { byKey }, { userHome: home, ...options });
  for (const project of found.save) known.set(project.id, project);
  return found;
}

/** As the daemon does it off the hot path. */
async function settle(dir: string) {
  const commit = await rootCommit(dir, home, AbortSignal.timeout(10_000));
  return resolve(dir, commit === undefined ? {} : { rootCommit: commit });
}

const idOf = (dir: string) => resolve(dir).project.id;

describe('a repository with a remote', () => {
  it('is named after it, with keys strongest first', async () => {
    const dir = repository('local-name', 'git@github.com:ada/Engine.git');
    const { project, isNew, branch, worktree, root } = await settle(dir);
    assert.match(project.id, /^engine-[0-9a-z]{6}$/);
    assert.equal(project.name, 'engine');
    assert.deepEqual(
      project.keys.map((key) => key.split(':')[0]),
      ['remote', 'root', 'git', 'path', 'inode', 'evermem'],
    );
    assert.equal(project.keys[0], 'remote:github.com/ada/engine');
    assert.deepEqual([isNew, branch, worktree, root], [true, 'main', undefined, dir]);
  });

  for (const url of [
    'https://github.com/ada/engine',
    'https://github.com/ada/engine.git/',
    'https://ada:hidden@GitHub.com/ada/engine.git',
    'ssh://git@github.com:22/ada/engine.git',
    'git@github.com:Ada/Engine.git',
    'git://github.com/ada/engine',
  ]) {
    it(`is the same as ${url}`, () => {
      const one = idOf(repository('one', 'git@github.com:ada/engine.git'));
      const other = resolve(repository('two', url));
      assert.equal(other.project.id, one);
      assert.doesNotMatch(JSON.stringify(other), /hidden/);
    });
  }

  it('keeps case where the host may care, but not in the name of the host', () => {
    assert.notEqual(
      idOf(repository('a', 'https://git.example.org/x/Y')),
      idOf(repository('b', 'https://git.example.org/x/y')),
    );
    assert.equal(
      idOf(repository('c', 'https://GIT.example.org:8443/x/y')),
      idOf(repository('d', 'git@git.example.org:x/y')),
    );
  });

  it('takes the first remote when none is called origin', () => {
    const dir = repository('r');
    git(dir, 'remote', 'add', 'upstream', 'https://example.org/up/r');
    git(dir, 'remote', 'add', 'mine', 'https://example.org/me/r');
    assert.equal(resolve(dir).project.keys[0], 'remote:example.org/up/r');
  });

  it('reads quoted and commented URLs', () => {
    const dir = repository('r');
    writeFileSync(
      join(dir, '.git', 'config'),
      '[core]\n\turl = no\n[REMOTE "origin"] ; mine\n  url = "https://example.org/a/b" # c\n',
    );
    assert.equal(resolve(dir).project.keys[0], 'remote:example.org/a/b');
  });

  it('keeps its project when the remote is renamed in the same clone', async () => {
    const dir = repository('r', 'https://example.org/old/name');
    const { project } = await settle(dir);
    git(dir, 'remote', 'set-url', 'origin', 'https://example.org/new/name');
    assert.equal(idOf(dir), project.id);
    assert.equal(idOf(repository('clone-of-new', 'https://example.org/new/name', 'other')), project.id);
    assert.equal(idOf(repository('clone-of-old', 'https://example.org/old/name', 'other')), project.id);
  });

  it('keeps its project when it gets a remote later', () => {
    const dir = repository('r');
    const before = idOf(dir);
    git(dir, 'remote', 'add', 'origin', 'https://example.org/a/r');
    assert.equal(idOf(dir), before);
  });

  it('stays apart from its fork in another clone', async () => {
    const upstream = await settle(repository('up', 'https://example.org/up/r', 'same'));
    const fork = await settle(repository('fork', 'https://example.org/me/r', 'same'));
    assert.notEqual(fork.project.id, upstream.project.id);
    assert.equal((await settle(join(base, 'up'))).project.id, upstream.project.id);
    assert.equal((await settle(join(base, 'fork'))).project.id, fork.project.id);
    assert.equal(resolve(join(base, 'fork')).wantsRootCommit, false);
  });

  it('is replaced by another repository at the same path, and is found at its new path', () => {
    const dir = repository('here', 'https://example.org/a/one');
    const one = idOf(dir);
    rmSync(dir, { recursive: true });
    repository('here', 'https://example.org/a/two', 'unrelated');
    const two = resolve(dir);
    assert.notEqual(two.project.id, one);
    assert.equal(known.get(one)?.keys.includes(`path:${dir}`), false);
    assert.equal(idOf(repository('there', 'https://example.org/a/one')), one);
    assert.equal(idOf(dir), two.project.id);
  });
});

describe('a repository without a remote', () => {
  it('is the same in its worktrees, each with its branch', () => {
    const dir = repository('main-tree');
    const { project } = resolve(dir);
    git(dir, 'worktree', 'add', '-q', '-b', 'feature/x', join(base, 'tree-x'));
    const linked = resolve(join(base, 'tree-x'));
    assert.equal(linked.project.id, project.id);
    assert.deepEqual(
      [linked.branch, linked.worktree, linked.root],
      ['feature/x', join(base, 'tree-x'), join(base, 'tree-x')],
    );
    assert.equal(linked.project.name, 'main-tree');
  });

  it('is the same whether the worktree or the main tree was seen first, and after the worktree is gone', () => {
    const dir = repository('main-tree');
    const tree = join(base, 'tree');
    git(dir, 'worktree', 'add', '-q', '-b', 'x', tree);
    const first = idOf(tree);
    assert.equal(idOf(dir), first);
    git(dir, 'worktree', 'remove', tree);
    assert.equal(idOf(tree), first);
    assert.equal(known.size, 1);
  });

  it('is the same in worktrees of a bare repository', () => {
    const bare = join(base, 'r.git');
    git(base, 'clone', '-q', '--bare', repository('source', 'https://example.org/a/gone'), bare);
    git(bare, 'remote', 'remove', 'origin');
    git(bare, 'worktree', 'add', '-q', join(base, 'w1'), 'main');
    git(bare, 'worktree', 'add', '-q', '-b', 'two', join(base, 'w2'));
    assert.equal(idOf(join(base, 'w1')), idOf(join(base, 'w2')));
    assert.equal(resolve(join(base, 'w1')).project.name, 'r');
    assert.equal(idOf(bare), idOf(join(base, 'w1')));
  });

  it('is the same after its folder moved', () => {
    const before = idOf(repository('old-place'));
    mkdirSync(join(base, 'deeper'));
    renameSync(join(base, 'old-place'), join(base, 'deeper', 'new-place'));
    const moved = resolve(join(base, 'deeper', 'new-place'));
    assert.equal(moved.project.id, before);
    assert.equal(moved.project.name, 'new-place');
    assert.equal(moved.project.paths[0], join(base, 'deeper', 'new-place'));
  });

  it('is the same in a copy, once the first commit is known', async () => {
    const dir = repository('original');
    const { project } = await settle(dir);
    const copy = join(base, 'copy');
    execFileSync('cp', ['-r', dir, copy]);
    assert.equal((await settle(copy)).project.id, project.id);
  });

  it('is the same in a clone of the local folder', () => {
    const dir = repository('original');
    const before = idOf(dir);
    git(base, 'clone', '-q', dir, join(base, 'clone'));
    assert.equal(idOf(join(base, 'clone')), before);
    assert.equal(idOf(dir), before);
  });

  it('is the same in two clones of a bare folder on this machine', () => {
    const bare = join(base, 'shared.git');
    git(base, 'clone', '-q', '--bare', repository('seed', 'https://example.org/a/gone'), bare);
    git(bare, 'remote', 'remove', 'origin');
    git(base, 'clone', '-q', bare, join(base, 'a'));
    git(base, 'clone', '-q', `file://${bare}`, join(base, 'b'));
    assert.equal(idOf(join(base, 'a')), idOf(join(base, 'b')));
    assert.equal(known.size, 1);
  });

  it('belongs to the remote of the local repository it was cloned from', () => {
    const origin = repository('origin', 'https://example.org/a/r');
    git(base, 'clone', '-q', origin, join(base, 'second'));
    assert.equal(resolve(join(base, 'second')).project.keys[0], 'remote:example.org/a/r');
  });

  it('joins a clone with a remote by the first commit, when asked before it is saved', async () => {
    const { project } = await settle(repository('local', undefined, 'same'));
    const clone = repository('pushed', 'https://example.org/a/r', 'same');
    assert.equal((await settle(clone)).project.id, project.id);
  });

  it('is another project than the unrelated repository that was at its path before', async () => {
    const dir = repository('spot', undefined, 'first');
    const { project } = await settle(dir);
    rmSync(dir, { recursive: true });
    repository('spot', undefined, 'second');
    const second = await settle(dir);
    assert.notEqual(second.project.id, project.id);
    assert.equal(second.isNew, true);
    rmSync(dir, { recursive: true });
    repository('spot', undefined, 'third');
    const third = await settle(dir);
    assert.equal(new Set([project.id, second.project.id, third.project.id]).size, 3);
    assert.equal((await settle(dir)).project.id, third.project.id);
  });

  it('stays the same when the disk was copied and every inode is new', async () => {
    const dir = repository('spot');
    const { project } = await settle(dir);
    execFileSync('cp', ['-r', dir, join(base, 'aside')]);
    rmSync(dir, { recursive: true });
    execFileSync('cp', ['-r', join(base, 'aside'), dir]);
    assert.equal(resolve(dir).project.id, project.id);
    assert.equal((await settle(dir)).project.id, project.id);
  });

  it('asks for the first commit until it is known', async () => {
    const dir = repository('r');
    assert.equal(resolve(dir).wantsRootCommit, true);
    assert.equal((await settle(dir)).wantsRootCommit, false);
    assert.equal(resolve(dir).wantsRootCommit, false);
  });
});

describe('inside a repository', () => {
  it('a package folder of a monorepo belongs to the repository', () => {
    const dir = repository('mono');
    mkdirSync(join(dir, 'packages', 'a', 'src'), { recursive: true });
    const found = resolve(join(dir, 'packages', 'a', 'src'));
    assert.deepEqual([found.project.id, found.root], [idOf(dir), dir]);
  });

  it('a nested repository is its own project', () => {
    const outer = repository('outer');
    const inner = repository('outer/inner');
    assert.notEqual(idOf(inner), idOf(outer));
    assert.equal(resolve(inner).root, inner);
  });

  it('a submodule is its own project', () => {
    const library = repository('library', 'https://example.org/a/library');
    const outer = repository('outer', 'https://example.org/a/outer');
    git(outer, 'submodule', 'add', '-q', library, 'vendor/library');
    const found = resolve(join(outer, 'vendor', 'library'));
    assert.equal(found.project.id, idOf(library));
    assert.equal(found.root, join(outer, 'vendor', 'library'));
    assert.notEqual(found.project.id, idOf(outer));
  });

  it('a detached HEAD has no branch', () => {
    const dir = repository('r');
    git(dir, 'checkout', '-q', '--detach');
    assert.equal(resolve(dir).branch, undefined);
  });

  it('a broken .git counts as none', () => {
    const dir = plain('odd');
    writeFileSync(join(dir, '.git'), 'gitdir: /nowhere/at/all\n');
    assert.equal(resolve(dir).project.keys[0], `path:${dir}`);
  });
});

describe('a plain folder', () => {
  it('is known by its path', () => {
    const { project, isNew } = resolve(plain('notes'));
    assert.equal(project.keys[0], `path:${join(base, 'notes')}`);
    assert.equal(isNew, true);
    assert.equal(resolve(plain('notes')).isNew, false);
    assert.deepEqual(resolve(plain('notes')).save, []);
  });

  it('is the same after it was renamed', () => {
    const before = idOf(plain('notes'));
    renameSync(join(base, 'notes'), join(base, 'papers'));
    assert.equal(idOf(join(base, 'papers')), before);
  });

  it('is the same once it becomes a repository', () => {
    const before = idOf(plain('idea'));
    assert.equal(idOf(repository('idea')), before);
  });

  it('is another one when a new folder takes the name of one that moved', () => {
    const before = idOf(plain('notes'));
    renameSync(join(base, 'notes'), join(base, 'papers'));
    assert.equal(idOf(join(base, 'papers')), before);
    const after = resolve(plain('notes'));
    assert.notEqual(after.project.id, before);
    assert.equal(idOf(join(base, 'papers')), before);
    assert.equal(idOf(join(base, 'notes')), after.project.id);
  });

  it('is the same through a symbolic link', () => {
    symlinkSync(plain('real'), join(base, 'link'));
    assert.equal(idOf(join(base, 'link')), idOf(join(base, 'real')));
  });

  it('that is the home or the root of the disk hides no project, even as a repository', () => {
    git(home, 'init', '-q');
    git(home, 'remote', 'add', 'origin', 'https://example.org/a/dotfiles');
    assert.equal(resolve(home).project.keys[0], `path:${home}`);
    assert.equal(resolve(plain('notes')).project.keys[0], `path:${join(base, 'notes')}`);
    assert.equal(resolve('/').project.name, 'root');
  });

  it('that is gone is known by its path, and found again when it was known', () => {
    const gone = join(base, 'never-was');
    const { project, root } = resolve(gone);
    assert.deepEqual([project.keys[0], root], [`path:${gone}`, gone]);
    const dir = repository('was', 'https://example.org/a/was');
    const before = resolve(dir).project;
    rmSync(dir, { recursive: true });
    assert.deepEqual(resolve(dir).project, before);
  });

  it('keeps the alias EverMem knew it by', () => {
    const dir = plain('My-Project');
    const hash = createHash('sha256').update(dir).digest('hex').slice(0, 5);
    assert.ok(resolve(dir).project.keys.includes(`evermem:mypr_${hash}`));
  });

  it('has an id fit for a folder name whatever it is called', () => {
    assert.match(idOf(plain('项目')), /^项目-[0-9a-z]{6}$/);
    assert.match(idOf(plain('Crème Brûlée (v2)')), /^creme-brulee-v2-[0-9a-z]{6}$/);
    assert.match(idOf(plain('..x..')), /^x-[0-9a-z]{6}$/);
  });
});

describe('opting out', () => {
  it('by a file in the root covers the whole repository and its worktrees', () => {
    const dir = repository('private');
    mkdirSync(join(dir, 'sub'));
    git(dir, 'worktree', 'add', '-q', '-b', 'x', join(base, 'tree'));
    assert.equal(resolve(join(dir, 'sub')).ignored, false);
    writeFileSync(join(dir, IGNORE_FILE), '');
    assert.equal(resolve(join(dir, 'sub')).ignored, true);
    assert.equal(resolve(join(base, 'tree')).ignored, true);
  });

  it('by capture.ignore covers paths, globs and links to them', () => {
    const dir = plain('clients/acme');
    symlinkSync(dir, join(base, 'link'));
    assert.equal(resolve(dir, { ignore: ['~/work/clients'] }).ignored, true);
    assert.equal(resolve(join(base, 'link'), { ignore: ['~/work/clients/*'] }).ignored, true);
    assert.equal(resolve(plain('other'), { ignore: ['~/work/clients'] }).ignored, false);
  });
});

describe('rootCommit', () => {
  const ask = (dir: string) => rootCommit(dir, home, AbortSignal.timeout(10_000));

  it('gives the oldest commit without a parent', async () => {
    const dir = repository('r');
    const first = git(dir, 'rev-parse', 'HEAD').trim();
    git(dir, 'commit', '-q', '--allow-empty', '-m', 'second');
    assert.equal(await ask(dir), first);
  });

  it('gives nothing for an empty repository, a shallow clone, a plain or missing folder, or when stopped', async () => {
    const empty = plain('empty');
    git(empty, 'init', '-q');
    const source = repository('r');
    git(source, 'commit', '-q', '--allow-empty', '-m', 'second');
    git(base, 'clone', '-q', '--depth', '1', `file://${source}`, join(base, 'shallow'));
    assert.equal(await ask(empty), undefined);
    assert.equal(await ask(join(base, 'shallow')), undefined);
    assert.equal(await ask(plain('plain')), undefined);
    assert.equal(await ask(join(base, 'missing')), undefined);
    assert.equal(await rootCommit(source, home, AbortSignal.abort()), undefined);
  });
});
