/** The programs a test needs beside Node, as `npm test` found or installed them. Never looks for them itself. */

/** `skip` is undefined when the part is there: hand it to node:test as it is. */
export interface Part {
  readonly path: string;
  readonly skip: string | undefined;
}

export const CLAUDE_CODE_VERSIONS = ['2.1.325', '2.1.197'] as const;

/** Agents that take the plugin as it is made for Claude Code. The parts are their scripts for Node. */
export const OTHER_AGENTS = [
  { name: 'codex', version: '0.166.0' },
  { name: 'qwen-code', version: '0.24.4' },
] as const;

/** For what takes minutes with each: both in the long run, the newer one otherwise. */
export const VERSIONS_IN_TURN =
  process.env['TIDEMARK_TEST_LONG'] === '1' ? CLAUDE_CODE_VERSIONS : CLAUDE_CODE_VERSIONS.slice(0, 1);

/** `const { path, skip } = part('tmux'); test('…', { skip }, …)` */
export function part(name: string): Part {
  const parts = JSON.parse(process.env['TIDEMARK_TEST_PARTS'] ?? '{}') as Record<
    string,
    { path?: string; missing?: string }
  >;
  const { path, missing = `${name} is looked for by npm test only` } = parts[name] ?? {};
  return path ? { path, skip: undefined } : { path: '', skip: missing };
}

export function claudeCode(version: (typeof CLAUDE_CODE_VERSIONS)[number]): Part {
  return part(`claude-code-${version}`);
}
