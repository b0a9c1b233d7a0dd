/** A real repository for tests: its own identity and home, nothing of the user's configuration. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export class GitRepo {
  readonly root: string;
  readonly #home: string;

  constructor(root: string, home: string) {
    this.root = root;
    this.#home = home;
  }

  static init(root: string, home: string): GitRepo {
    mkdirSync(root, { recursive: true });
    const repo = new GitRepo(root, home);
    repo.git('init', '-q');
    return repo;
  }

  git(...args: readonly string[]): string {
    return this.#git(args, {});
  }

  #git(args: readonly string[], more: Readonly<Record<string, string>>): string {
    const env = {
      PATH: process.env['PATH'],
      HOME: this.#home,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@example.org',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@example.org',
      ...more,
    };
    const all = ['-c', 'init.defaultBranch=main', ...args];
    return execFileSync('git', all, { cwd: this.root, env, encoding: 'utf8', stdio: 'pipe' }).trim();
  }

  write(file: string, content: string): void {
    const path = join(this.root, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }

  remove(file: string): void {
    rmSync(join(this.root, file));
  }

  /** Writes a file and commits it; gives the commit. */
  commit(file: string, content: string): string {
    this.write(file, content);
    this.git('add', '-A');
    this.git('commit', '-q', '-m', `${file}: ${content}`.trim());
    return this.git('rev-parse', 'HEAD');
  }

  /** The same at another time, as the log of HEAD tells it. */
  commitAt(time: Date, file: string, content: string, message = file): string {
    this.write(file, content);
    this.git('add', file);
    this.#git(['commit', '-q', '-m', message], { GIT_COMMITTER_DATE: time.toISOString() });
    return this.git('rev-parse', 'HEAD');
  }

  /** A linked work tree on a new branch. */
  worktree(path: string, branch: string): GitRepo {
    this.git('worktree', 'add', '-q', '-b', branch, path);
    return new GitRepo(path, this.#home);
  }
}
