/** Helpers for writing turns with tool calls. Times derive from the key, so that a turn never changes. */
import type { MemoryKind, StoredTurn, ToolCall } from '../../src/core/index.ts';
import type { Wanted, WrittenTurn } from './label.ts';

interface Said {
  readonly prompt: string;
  readonly answer?: string;
  readonly tools?: readonly ToolCall[];
  readonly outcome?: StoredTurn['outcome'];
  readonly origin?: StoredTurn['origin'];
}

const CWD = '/home/dev/app';

export function write(name: string, said: Said, ...keep: readonly Wanted[]): WrittenTurn {
  const key = `written/${name}`;
  const tools = (said.tools ?? []).map((call, at) => ({ ...call, id: `${key}-${at}` }));
  const turn: StoredTurn = {
    id: key,
    agent: 'claude-code',
    session: 'written',
    project: 'bench',
    origin: said.origin ?? 'person',
    startedAt: '2026-03-02T09:00:00.000Z',
    endedAt: '2026-03-02T09:04:00.000Z',
    outcome: said.outcome ?? 'answered',
    prompt: said.prompt,
    answer: said.answer ?? '',
    tools,
    messages: [key],
    cwd: CWD,
    branch: 'main',
  };
  return { key, turn, keep };
}

/** `want('bugfix|refactor', 'pool', 'timeout')` */
export function want(kinds: string, ...must: readonly string[]): Wanted {
  return { kinds: kinds.split('|') as MemoryKind[], must };
}

export function maybe(kinds: string, ...must: readonly string[]): Wanted {
  return { ...want(kinds, ...must), optional: true };
}

export function ran(command: string, output = ''): ToolCall {
  return { ...call('Bash'), command, exit: 0, output };
}

export function failed(command: string, ...errors: readonly string[]): ToolCall {
  return { ...call('Bash'), command, status: 'error', exit: 1, errors, output: errors.join('\n') };
}

export function edited(...files: readonly string[]): readonly ToolCall[] {
  return files.map((file) => ({ ...call('Edit', `${CWD}/${file}`), edited: [`${CWD}/${file}`] }));
}

export function wrote(...files: readonly string[]): readonly ToolCall[] {
  return files.map((file) => ({ ...call('Write', `${CWD}/${file}`), edited: [`${CWD}/${file}`] }));
}

export function read(...files: readonly string[]): readonly ToolCall[] {
  return files.map((file) => ({ ...call('Read', `${CWD}/${file}`), read: [`${CWD}/${file}`] }));
}

export function used(name: string, target?: string, status: ToolCall['status'] = 'ok'): ToolCall {
  return { ...call(name, target), status };
}

function call(name: string, target?: string): ToolCall {
  return {
    id: '',
    name,
    status: 'ok',
    errors: [],
    read: [],
    edited: [],
    ...(target === undefined ? {} : { target }),
  };
}
