/** Computers of one user that share a journal by git: each with its own home, daemon and clone. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Memory } from '../../src/core/index.ts';
import { memoryFolder } from '../support/damage.ts';
import { GitRepo } from '../support/git-repo.ts';
import { Machine } from '../support/machine.ts';
import { memoriesOf } from '../support/stored.ts';
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

  /** The memories of all projects as a repository, shared by a bare one. */
  async share(bare: GitRepo, merging: boolean): Promise<GitRepo> {
    const folder = memoryFolder(this.machine);
    const repo = GitRepo.init(folder, this.machine.home);
    repo.git('remote', 'add', 'shared', bare.root);
    repo.git('config', 'user.name', 'a');
    repo.git('config', 'user.email', 'a@example.org');
    if (merging) await this.cli('journal', 'merging', folder);
    return repo;
  }

  async cli(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.machine.ask(...args);
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

  /** Returns the memories in the files. */
  written(): Promise<readonly Memory[]> {
    return memoriesOf(this.machine);
  }

  /** Returns what `doctor` finds wrong with the memories. */
  async problems(): Promise<readonly string[]> {
    const { checks } = await this.machine.json<{ checks: readonly Check[] }>('doctor');
    return checks.filter(({ verdict }) => verdict === 'wrong').map(({ evidence }) => evidence);
  }

  /** Returns the memories that the daemon shows, of those in the files. */
  async known(): Promise<readonly Memory[]> {
    const ids = (await this.written()).map(({ id }) => id);
    if (ids.length === 0) return [];
    const shown = await this.machine.json<readonly { readonly memory: Memory }[]>('show', ...ids);
    return shown.map(({ memory }) => memory);
  }

  /** Waits until the files hold exactly the expected memories, and the daemon knows the same and no other. */
  async knows(
    expected: readonly string[],
    what: (memory: Memory) => string = ({ title }) => title,
  ): Promise<void> {
    const want = JSON.stringify(expected.toSorted());
    let seen = '';
    await waitFor(
      `${want} to be known`,
      async () => {
        const [written, known] = [await this.written(), await this.known().catch(() => [])].map((all) =>
          JSON.stringify(all.map(what).toSorted()),
        );
        const { memories } = await this.machine.json<{ memories: number }>('stats');
        seen = JSON.stringify({ memories, known, written });
        return memories === expected.length && known === want && written === want;
      },
      { explain: () => `${seen}\n${this.machine.logs()}` },
    );
  }
}

interface Check {
  readonly verdict: string;
  readonly evidence: string;
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
