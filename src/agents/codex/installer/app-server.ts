/**
 * Asks Codex itself which hooks it would run. Codex skips a hook that its user has not trusted, without a word; only its
 * app server tells. Starts it for one question, with a time limit.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { VERSION } from '../../../core/index.ts';
import { isObject, objectsIn, parseObject, textOf, type JsonObject } from '../../reading/json.ts';

/** It answers within a second; a busy machine needs more. */
const ANSWER_MS = 10_000;

export interface ListedHook {
  readonly key: string;
  readonly sourcePath: string;
  /** The id of the plugin that brought it. */
  readonly plugin?: string;
  readonly isEnabled: boolean;
  readonly trust: string;
  readonly hash: string;
}

/** Undefined if Codex does not answer. `cwd`: the project whose hooks count too. */
export function listHooks(
  program: string,
  { env, cwd }: { readonly env: NodeJS.ProcessEnv; readonly cwd: string },
): Promise<readonly ListedHook[] | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, ['app-server'], { env, cwd, stdio: ['pipe', 'pipe', 'ignore'] });
    const end = (hooks?: readonly ListedHook[]): void => {
      clearTimeout(timer);
      child.kill();
      resolve(hooks);
    };
    const timer = setTimeout(end, ANSWER_MS);
    const send = (message: object): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
    child.on('error', () => end());
    child.on('close', () => end());
    child.stdin.on('error', () => end());
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = parseObject(line);
      if (message?.['id'] === 1) {
        send({ method: 'initialized' });
        send({ id: 2, method: 'hooks/list', params: { cwds: [cwd] } });
      }
      if (message?.['id'] === 2) end(hooksIn(message['result']));
    });
    const clientInfo = { name: 'tidemark', title: 'Tidemark', version: VERSION };
    send({ id: 1, method: 'initialize', params: { clientInfo } });
  });
}

function hooksIn(result: unknown): readonly ListedHook[] | undefined {
  if (!isObject(result) || !Array.isArray(result['data'])) return undefined;
  return objectsIn(result['data']).flatMap(({ hooks }) => objectsIn(hooks).map(listed));
}

function listed(hook: JsonObject): ListedHook {
  const plugin = textOf(hook['pluginId']);
  return {
    key: textOf(hook['key']) ?? '',
    sourcePath: textOf(hook['sourcePath']) ?? '',
    isEnabled: hook['enabled'] !== false,
    trust: textOf(hook['trustStatus']) ?? '',
    hash: textOf(hook['currentHash']) ?? '',
    ...(plugin === undefined ? {} : { plugin }),
  };
}
