/**
 * The driver that keeps one process of Claude Code per agent session, through the Agent SDK in streaming-input mode: after
 * the first turn an answer needs no new process. The SDK is optional and loaded only when used.
 *
 * Nothing is persisted, so no session appears in the user's list and none can be resumed. Every request is
 * self-contained, so after a crash it is sent again in a new conversation.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findClient } from '../../agents/index.ts';
import { clientEnvironment } from './_client.ts';
import type { ProcessWatch } from './_process-group.ts';
import { Conversation, type Sdk } from './_sdk-conversation.ts';
import { failed, type Driver, type DriverHealth } from './driver.ts';

const SDK_PACKAGE = '@anthropic-ai/claude-agent-sdk';
/** A conversation sends its earlier turns again, so a new one starts after a few. */
const TURNS_PER_CONVERSATION = 3;
/** The process takes about 180 MB, so an idle one is ended soon. */
const IDLE_MS = 60_000;

export interface AgentSdkOptions {
  readonly model: string;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Folders whose `node_modules` may contain the SDK. */
  readonly folders: readonly string[];
  readonly program?: string;
  readonly processes?: ProcessWatch | undefined;
}

export function agentSdkDriver(options: AgentSdkOptions): Driver {
  const { model, env, cwd, folders } = options;
  const program = (): string | undefined => options.program ?? findClient(env);
  let sdk: Promise<Sdk> | undefined;
  let current: { readonly key: string; readonly conversation: Conversation } | undefined;
  let idle: NodeJS.Timeout | undefined;
  const close = async (): Promise<void> => {
    clearTimeout(idle);
    const left = current?.conversation;
    current = undefined;
    await left?.close();
  };
  return {
    name: 'agent-sdk',
    model,
    ask: async (request, signal) => {
      const place = locateSdk(folders);
      const path = program();
      if (place === undefined) return failed('missing', `${SDK_PACKAGE} is not installed`);
      if (path === undefined) return failed('missing', 'Claude Code was not found on this machine');
      sdk ??= load(place);
      const key = JSON.stringify([request.session, request.system]);
      const isFull = (current?.conversation.turns ?? 0) >= TURNS_PER_CONVERSATION;
      // One conversation at a time.
      if (current?.key !== key || isFull || !current.conversation.isOpen) await close();
      current ??= {
        key,
        conversation: new Conversation(await sdk, {
          model,
          cwd,
          program: path,
          env: clientEnvironment(env),
          request,
          processes: options.processes,
        }),
      };
      clearTimeout(idle);
      const answer = await current.conversation.ask(request.prompt, signal);
      if (answer.kind === 'failed') await close();
      idle = setTimeout(() => void close(), IDLE_MS);
      idle.unref();
      return answer;
    },
    health: () => Promise.resolve(health(locateSdk(folders), program())),
    close,
  };
}

function locateSdk(folders: readonly string[]): string | undefined {
  for (const folder of folders) {
    if (!existsSync(join(folder, 'node_modules', SDK_PACKAGE, 'package.json'))) continue;
    return createRequire(join(folder, 'here.js')).resolve(SDK_PACKAGE);
  }
  return undefined;
}

/** The path is known only at run time, so no bundler includes the module. */
function load(file: string): Promise<Sdk> {
  return import(pathToFileURL(file).href) as Promise<Sdk>;
}

function health(sdk: string | undefined, program: string | undefined): DriverHealth {
  if (sdk === undefined) {
    return {
      works: false,
      evidence: `${SDK_PACKAGE} is not installed`,
      next: `npm install --prefix ~/.tidemark ${SDK_PACKAGE}`,
    };
  }
  if (program === undefined)
    return {
      works: false,
      evidence: 'Claude Code was not found on this machine',
      next: 'Install Claude Code.',
    };
  return { works: true, evidence: `SDK and ${program}` };
}
