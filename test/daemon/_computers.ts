/** Computers of one user that share a journal by git: each with its own home, daemon and clone. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Memory } from '../../src/core/index.ts';
import { Journal } from '../../src/storage/journal/index.ts';
import { GitRepo } from '../support/git-repo.ts';
import { Machine } from '../support/machine.ts';
import { SyntheticTranscript, uuid } from '../support/synthetic-transcript.ts';
import { waitFor } from '../support/wait-for.ts';

const REMOTE = 'https://example.org/acme/api.git';

export class Computer {
  readonly machine: Machine;
  /** The repository of the project it works on. */
  readonly project: GitRepo;

  constructor(t: TestContext, env: Readonly<Record<string, string>> = {}) {
    this.machine = Machine.open(t, env);
    this.project = GitRepo.init(this.machine.project, this.machine.home);
    // The project's id comes from its remote, so it is the same on each computer.
    this.project.git('remote', 'add', 'origin', REMOTE);
  }

  /** The journal of all projects as a repository, shared by a bare one. */
  share(bare: GitRepo, merging: boolean): Promise<GitRepo> {
    return this.#shareAt(this.machine.places.journal, bare, merging);
  }

  async #shareAt(folder: string, bare: GitRepo, merging: boolean): Promise<GitRepo> {
    mkdirSync(folder, { recursive: true });
    const repo = GitRepo.init(folder, this.machine.home);
    repo.git('remote', 'add', 'shared', bare.root);
    repo.git('config', 'user.name', 'a');
    repo.git('config', 'user.email', 'a@example.org');
    if (merging) await this.cli('journal', 'merging', folder);
    return repo;
  }

  async cli(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.machine.cli(args);
    if (code !== 0) throw new Error(`tidemark ${args.join(' ')}: ${code}\n${stdout}${stderr}`);
    return stdout;
  }

  async remember(text: string): Promise<string> {
    return (JSON.parse(await this.cli('remember', text, '--json')) as Memory).id;
  }

  /** A session in the project, captured from its transcript. */
  async session(date: string, prompts: readonly string[]): Promise<void> {
    const transcript = new SyntheticTranscript({
      config: this.machine.config,
      cwd: this.machine.project,
      session: uuid(this.machine.root, date),
      start: `${date}T10:00:00.000Z`,
    });
    for (const prompt of prompts) transcript.append({ prompt, answer: 'Done.' });
    transcript.finish();
    await this.machine.up();
    await this.machine.deliver('SessionEnd', {
      session_id: transcript.session,
      transcript_path: transcript.path,
      reason: 'other',
    });
    await this.machine.drained();
  }

  /** Returns the memories in the journal's files. */
  written(): readonly Memory[] {
    const journal = new Journal(this.machine.places.journal);
    return journal.files().flatMap(({ path }) => journal.read(path).entries.map(({ memory }) => memory));
  }

  problems() {
    return new Journal(this.machine.places.journal).check();
  }

  /** Returns the memories that the daemon lists. */
  async known(): Promise<readonly Memory[]> {
    await this.machine.up();
    return this.machine.call('read.memories', { limit: 1000 });
  }

  /** Waits until the daemon lists exactly the memories of the files, and they are the expected ones. */
  async knows(
    expected: readonly string[],
    what: (memory: Memory) => string = ({ title }) => title,
  ): Promise<void> {
    const want = JSON.stringify(expected.toSorted());
    let seen = '';
    await waitFor(
      `${want} to be known`,
      async () => {
        const known = (await this.known()).map(what).toSorted();
        const written = this.written().map(what).toSorted();
        seen = JSON.stringify({ known, written });
        return JSON.stringify(known) === want && JSON.stringify(written) === want;
      },
      { explain: () => `${seen}\n${this.machine.logs()}` },
    );
  }
}

/** Commits all changes and exchanges them with the other computers, as a user or a timer does. */
export function exchange(repo: GitRepo, branch = 'main'): void {
  commit(repo);
  if (repo.git('ls-remote', 'shared', branch) !== '') {
    repo.git('fetch', '-q', 'shared', branch);
    repo.git('merge', '-q', '--no-edit', '--allow-unrelated-histories', 'FETCH_HEAD');
  }
  repo.git('push', '-q', 'shared', `HEAD:${branch}`);
}

export function commit(repo: GitRepo): void {
  repo.git('add', '-A');
  if (repo.git('status', '--porcelain') !== '') repo.git('commit', '-q', '-m', 'journal');
}

export function bareRepo(t: TestContext): GitRepo {
  const machine = Machine.open(t);
  const repo = new GitRepo(join(machine.root, 'shared.git'), machine.home);
  mkdirSync(repo.root);
  repo.git('init', '-q', '--bare');
  return repo;
}
