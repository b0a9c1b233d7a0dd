/** A stage for the real Codex: its settings point to a stand-in of the model, and its hooks are trusted as a user would. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import {
  startResponsesStandIn,
  type ResponsesRequest,
  type ResponsesStandIn,
} from '../support/responses-stand-in.ts';
import { openAgentStage, type AgentStage } from './_stage.ts';

export interface CodexStage {
  readonly stage: AgentStage;
  readonly model: ResponsesStandIn;
  /** `~/.codex`. */
  readonly folder: string;
  readonly program: string;
  /** Runs one session without a terminal. Returns the requests that reached the model. */
  exec(prompt: string, ...args: readonly string[]): Promise<readonly ResponsesRequest[]>;
}

/** `script`: Codex's script for Node. A user finds the program `codex` on the PATH, and so does the installer. */
export async function openCodex(t: TestContext, claude: string, script: string): Promise<CodexStage> {
  const model = await startResponsesStandIn();
  t.after(() => model.close());
  const stage = await openAgentStage(t, claude, {
    agent: 'codex',
    command: [process.execPath, script],
    env: ({ home }) => ({
      STAND_IN_KEY: 'none',
      PATH: [join(home, 'bin'), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
    }),
  });
  const folder = join(stage.home, '.codex');
  const program = join(stage.home, 'bin', 'codex');
  for (const made of [folder, join(stage.home, 'bin')]) mkdirSync(made);
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${script}" "$@"\n`, { mode: 0o755 });
  writeFileSync(join(folder, 'config.toml'), configFor(model.url));
  const exec = async (prompt: string, ...args: readonly string[]): Promise<readonly ResponsesRequest[]> => {
    const seen = model.requests.length;
    await stage.run(['exec', ...WITHOUT_SANDBOX, ...args, prompt]);
    return model.requests.slice(seen);
  };
  return { stage, model, folder, program, exec };
}

/** The sandbox needs rights that a test machine may not give. */
const WITHOUT_SANDBOX = ['--skip-git-repo-check', '-s', 'danger-full-access'];

function configFor(url: string): string {
  return `# The user's own settings.
model = "gpt-5.5"   # a model with classic tools
model_provider = "standin"

[model_providers.standin]
name = "standin"
base_url = "${url}"
wire_api = "responses"
env_key = "STAND_IN_KEY"
`;
}

/** Installs with the trust that a user gives at the next start of Codex. */
export async function installTrusted(codex: CodexStage): Promise<void> {
  await codex.stage.installer.install(codex.stage.world);
  await trustAll(codex);
}

/** Writes what Codex writes after "Trust all and continue". */
export async function trustAll(codex: CodexStage): Promise<void> {
  const hooks = await listedHooks(codex);
  assert.ok(hooks.length > 0, 'Codex lists hooks');
  const { folder } = codex;
  const entries = hooks.map(
    ({ key, currentHash }) => `\n[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = "${currentHash}"\n`,
  );
  appendFileSync(join(folder, 'config.toml'), `\n[hooks.state]\n${entries.join('')}`);
}

interface ListedHook {
  readonly key: string;
  readonly currentHash: string;
}

/** Asks Codex's app server, as its terminal does before it shows the question. */
async function listedHooks({ stage, program }: CodexStage): Promise<readonly ListedHook[]> {
  const child = spawn(program, ['app-server'], { env: stage.env(), stdio: ['pipe', 'pipe', 'ignore'] });
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
  try {
    send({
      id: 1,
      method: 'initialize',
      params: { clientInfo: { name: 'test', title: 'Test', version: '1' } },
    });
    for await (const line of createInterface({ input: child.stdout })) {
      // Both answers have the form of this version's protocol.
      const { id, result } = JSON.parse(line) as {
        id?: number;
        result?: { data: { hooks: ListedHook[] }[] };
      };
      if (id === 2) return (result?.data ?? []).flatMap(({ hooks }) => hooks);
      if (id !== 1) continue;
      send({ method: 'initialized' });
      send({ id: 2, method: 'hooks/list', params: { cwds: [stage.project] } });
    }
    return [];
  } finally {
    child.kill();
  }
}

/** Files that Codex itself writes into its folder. */
export const WRITTEN_BY_CODEX = [
  /\.sqlite(?:-\w+)?$/,
  /^(?:sessions|log|\.tmp|tmp|shell_snapshots|packages|app-server-\w+|thread-writer-locks|plugins)(?:\/|$)/,
  /^skills(?:\/\.system(?:\/|$)|$)/,
  /^(?:\.sandbox_migration|installation_id|version\.json|models_cache\.json|history\.jsonl|session_index\.jsonl)$/,
];
