/** A turn for the tests of this folder: an answered one with nothing in it, and what a test adds. */
import type { StoredTurn, ToolCall } from '../../src/core/index.ts';

export function sampleTurn(parts: Partial<StoredTurn>): StoredTurn {
  return {
    id: 'turn-1',
    agent: 'claude-code',
    session: 'session-1',
    origin: 'person',
    startedAt: '2026-03-01T10:00:00Z',
    endedAt: '2026-03-01T10:05:00Z',
    outcome: 'answered',
    prompt: '',
    answer: '',
    tools: [],
    messages: ['turn-1'],
    cwd: '/home/ada/engine',
    project: 'engine-abc123',
    ...parts,
  };
}

export function edit(file: string): ToolCall {
  return call({ name: 'Edit', target: file, edited: [file] });
}

export function bash(
  command: string,
  status: ToolCall['status'] = 'ok',
  errors: readonly string[] = [],
): ToolCall {
  return call({ name: 'Bash', command, status, errors });
}

export function call(parts: Partial<ToolCall>): ToolCall {
  return { id: 'call', name: 'Read', status: 'ok', errors: [], read: [], edited: [], ...parts };
}
