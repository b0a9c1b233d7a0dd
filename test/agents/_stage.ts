/**
 * A stage for a real agent beside Claude Code: both work in the same project with the same memory. The agent gets a HOME of
 * its own and an environment made from nothing. Also the story that the tests of all agents tell: one session makes a
 * decision, and a later session of either client has it.
 */
import assert from 'node:assert/strict';
import { mkdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { codingAgent, type Installer, type InstallWorld } from '../../src/agents/index.ts';
import type { Agent } from '../../src/core/index.ts';
import { callDaemon } from '../support/call.ts';
import { openStage, PATIENT, type SessionResult, type Stage } from '../support/claude.ts';
import { memoriesStored } from '../support/memories-stored.ts';
import { claudeCode, part, TESTED_VERSIONS } from '../support/parts.ts';
import { runProgram, type Ran } from '../support/run-program.ts';
import { Terminal } from '../support/tmux.ts';
import { WITHOUT_MODEL } from '../support/without-model.ts';

export { filesIn } from '../support/files-in.ts';

export interface AgentOptions {
  readonly agent: Agent;
  /** Program and first arguments: `[process.execPath, script]`, or the path of a native program. */
  readonly command: readonly [string, ...string[]];
  readonly env?: (stage: AgentStage) => Readonly<Record<string, string>>;
}

/** The parts that such a test needs: `const { path, claude, skip } = agentParts('pi-0.87.1')`. */
export function agentParts(name: string): {
  readonly path: string;
  readonly claude: string;
  readonly skip: string | undefined;
} {
  const [agent, claude] = [part(name), claudeCode(TESTED_VERSIONS[0] ?? '2.1.325')];
  return { path: agent.path, claude: claude.path, skip: agent.skip ?? claude.skip };
}

/** Opens a stage that closes when the test ends. A daemon runs from the beginning, so that no hook has to start one. */
export async function openAgentStage(
  t: TestContext,
  claude: string,
  options: AgentOptions,
): Promise<AgentStage> {
  const stage = new AgentStage(await openStage(t, { claude }), options);
  await stage.claude.startDaemon();
  return stage;
}

export class AgentStage {
  /** Claude Code with the same project and the same memory. */
  readonly claude: Stage;
  /** The agent's HOME. */
  readonly home: string;
  readonly project: string;
  readonly #temp: string;
  readonly #options: AgentOptions;

  constructor(claude: Stage, options: AgentOptions) {
    this.claude = claude;
    this.#options = options;
    this.project = claude.project;
    const root = realpathSync(dirname(claude.home));
    this.home = join(root, 'agent-home');
    this.#temp = join(root, 'agent-tmp');
    for (const folder of [this.home, this.#temp]) mkdirSync(folder, { mode: 0o700 });
  }

  /** The whole environment of the agent. Only the mark of the test run is inherited. */
  env(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    const mark = process.env['TIDEMARK_TEST_RUN'];
    return {
      PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
      HOME: this.home,
      SHELL: '/bin/sh',
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      TMPDIR: this.#temp,
      TIDEMARK_HOME: this.claude.places.home,
      ...WITHOUT_MODEL,
      ...PATIENT,
      ...(mark ? { TIDEMARK_TEST_RUN: mark } : {}),
      ...this.#options.env?.(this),
      ...more,
    };
  }

  /** Runs the agent in the project to its end. Fails if it reports an error. */
  async run(args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Ran> {
    const [program, ...first] = this.#options.command;
    const ran = await runProgram(program, [...first, ...args], { cwd: this.project, env: this.env(more) });
    assert.equal(ran.code, 0, `${program} ${args.join(' ')}\n${ran.stdout}${ran.stderr}\n${this.logs()}`);
    return ran;
  }

  /** Starts the agent at a terminal. It ends with the test. */
  async terminal(t: TestContext, tmux: string, args: readonly string[] = []): Promise<Terminal> {
    const terminal = new Terminal(tmux, this.claude);
    t.after(() => terminal.close());
    this.claude.beforeClose(() => terminal.close());
    await terminal.start([...this.#options.command, ...args], this.env());
    return terminal;
  }

  get installer(): Installer {
    const installer = codingAgent(this.#options.agent)?.installer;
    assert.ok(installer, `${this.#options.agent} has an installer`);
    return installer;
  }

  get world(): InstallWorld {
    const { places, plugin } = this.claude;
    assert.ok(plugin, 'the stage has a copy of the plugin');
    return { env: this.env(), places, plugin };
  }

  logs(): string {
    return this.claude.logs();
  }

  /** Waits until a memory contains something. */
  async remembered(pattern: RegExp): Promise<void> {
    await memoriesStored(this.claude, pattern);
  }
}

/** The decision that one client makes and the other has to know. */
export const DECISION = "Let's use pg-boss for the job queue, not BullMQ, because we already run Postgres.";
export const DECIDED = /pg-boss/;
/** Says nothing of the decision, so that only memory can bring it. */
export const NEXT_PROMPT = 'What do we use for background jobs, and why?';

/** Claude Code makes the decision. */
export async function claudeDecides({ claude }: AgentStage): Promise<void> {
  await claude.run(DECISION);
}

/** Asserts that the decision is in the first request of a new session of Claude Code. */
export async function claudeKnows({ claude }: AgentStage): Promise<SessionResult> {
  const session = await claude.run(NEXT_PROMPT);
  assert.match(JSON.stringify(session.requests[0]), DECIDED, claude.logs());
  return session;
}

/** Adds a memory about a file. Its facts are too many for a brief, so that only reading the file brings all of it. */
export async function knowFile(
  { claude, project }: AgentStage,
  title: string,
  file: string,
  body: string,
): Promise<void> {
  const facts = ['Agreed with the operators', 'Reviewed twice a year'];
  const draft = { kind: 'decision', title, body, facts, concepts: [], files: [file] } as const;
  await callDaemon(claude.places, 'remember', { draft, dir: project });
}
