/**
 * The driver that keeps one process of Claude Code per agent session, through the Agent SDK in streaming-input mode: after
 * the first turn an answer needs no new process. The SDK is optional and loaded only when asked for.
 *
 * Nothing is persisted, so that no session appears in the user's list; that leaves nothing to resume. Every request is
 * whole, so after a crash it is simply asked again in a fresh conversation.
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

export const SDK_PACKAGE = '@anthropic-ai/claude-agent-sdk';
/** A conversation carries its earlier turns along, so it is begun anew before a request grows beyond a few of them. */
const TURNS_PER_CONVERSATION = 3;
/** The process takes some 180 MB; it is not kept waiting for long. */
const IDLE_MS = 60_000;

export interface AgentSdkOptions {
  readonly model: string;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Where the SDK may be installed: folders that hold `node_modules`. */
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
  const leave = async (): Promise<void> => {
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
      const tired = (current?.conversation.turns ?? 0) >= TURNS_PER_CONVERSATION;
      // One at a time: a session that had its turns makes room for the next one.
      if (current?.key !== key || tired || !current.conversation.isOpen) await leave();
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
      if (answer.kind === 'failed') await leave();
      idle = setTimeout(() => void leave(), IDLE_MS);
      idle.unref();
      return answer;
    },
    health: () => Promise.resolve(health(locateSdk(folders), program())),
    close: leave,
  };
}

export function locateSdk(folders: readonly string[]): string | undefined {
  for (const folder of folders) {
    if (!existsSync(join(folder, 'node_modules', SDK_PACKAGE, 'package.json'))) continue;
    return createRequire(join(folder, 'here.js')).resolve(SDK_PACKAGE);
  }
  return undefined;
}

/** It is an ES module, and its path is known only here, so that no bundler takes it in. */
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
