/** One member of a team on one machine, with its own home, daemon and CLI, and a clone of the team's repository. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import type { Memory, MemoryDraft, MemoryKind } from '../../src/core/index.ts';
import type { Change } from '../../src/exchange/sync/index.ts';
import type { TeamView } from '../../src/exchange/sync/team/index.ts';
import { GitRepo } from '../support/git-repo.ts';
import { Machine } from '../support/machine.ts';
import { memoriesOf } from '../support/stored.ts';

/** Every clone has the same remote, by which the team recognises the project. */
const REMOTE = 'https://git.example.org/tide/app.git';

export interface Key {
  readonly name: string;
  readonly key: string;
}

/** A team server: the stand-in, or the real one. */
export interface Team {
  readonly url: string;
  /** Closes every connection without an answer. */
  away: boolean;
  /** Number of pushes that are applied, but get no answer. */
  hangUps: number;
  member(name: string, access?: 'read' | 'write'): Key | Promise<Key>;
  /** The last change of each entry. */
  entries(): readonly Change[] | Promise<readonly Change[]>;
}

export class Member {
  readonly machine: Machine;
  readonly name: string;
  readonly #server: Team;
  readonly #key: Key;

  private constructor(machine: Machine, key: Key, server: Team) {
    this.machine = machine;
    this.name = key.name;
    this.#key = key;
    this.#server = server;
  }

  /** Returns a member who is logged in, with a project without memories. New entries do not wait. */
  static async open(
    t: TestContext,
    server: Team,
    key: Key,
    env: Readonly<Record<string, string>> = {},
  ): Promise<Member> {
    const machine = Machine.open(t, env);
    const repo = GitRepo.init(machine.project, machine.home);
    repo.git('remote', 'add', 'origin', REMOTE);
    await machine.up();
    const member = new Member(machine, key, server);
    await member.setDelay(0);
    await member.login();
    return member;
  }

  /** Sets how long a new entry waits before it is sent. */
  async setDelay(minutes: number): Promise<void> {
    await this.machine.call('settings.set', { key: 'share.delayMinutes', value: minutes });
  }

  async login(): Promise<void> {
    await this.machine.call('team.login', { server: this.#server.url, key: this.#key.key });
  }

  get project(): Promise<string> {
    return this.machine.call('read.place', { dir: this.machine.project }).then(({ project }) => project);
  }

  remember(title: string, more: Partial<MemoryDraft> = {}): Promise<Memory> {
    const kind: MemoryKind = 'decision';
    const draft = { kind, title, body: '', facts: [], concepts: [], files: [], ...more };
    return this.machine.call('remember', { draft, dir: this.machine.project });
  }

  edit(id: string, patch: object): Promise<Memory> {
    return this.machine.call('edit', { id, patch });
  }

  async share(): Promise<void> {
    const ran = await this.machine.cli(['share', '.', '--yes']);
    assert.equal(ran.code, 0, ran.stderr);
  }

  async exchange(): Promise<void> {
    await this.machine.call('team.now', {});
  }

  team(): Promise<TeamView> {
    return this.machine.call('read.team', {});
  }

  /** Returns the memories as an export prints them, sorted by id. */
  async memories(): Promise<readonly Memory[]> {
    return (await memoriesOf(this.machine)).toSorted((a, b) => a.id.localeCompare(b.id));
  }

  async entry(id: string): Promise<Memory | undefined> {
    return (await this.memories()).find((memory) => memory.id === id);
  }

  /** Edits the project's Markdown files as a user would. */
  async rewrite(change: (text: string) => string): Promise<void> {
    const { folder } = await this.machine.json<{ readonly folder: string }>('journal');
    for (const path of this.machine.files(folder)) {
      if (!path.endsWith('.md')) continue;
      const text = readFileSync(path, 'utf8');
      const changed = change(text);
      // An unchanged file is not written: the daemon may have written it since it was read.
      if (changed !== text) writeFileSync(path, changed);
    }
  }
}
