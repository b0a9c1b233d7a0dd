/** The programs that tests need beside Node. `npm test` finds or installs them; this module only reads what it found. */

/** `skip` is undefined when the part exists: pass it to node:test as it is. */
export interface Part {
  readonly path: string;
  readonly skip: string | undefined;
}

export const CLAUDE_CODE_VERSIONS = ['2.1.325', '2.1.197'] as const;

/** Agents that load the plugin made for Claude Code. The parts are their scripts for Node. */
export const OTHER_AGENTS = [
  { name: 'codex', version: '0.166.0' },
  { name: 'qwen-code', version: '0.24.4' },
] as const;

export const IS_LONG_RUN = process.env['TIDEMARK_TEST_LONG'] === '1';

/** The versions that this run tests: the older client only in the long run. */
export const TESTED_VERSIONS = IS_LONG_RUN ? CLAUDE_CODE_VERSIONS : CLAUDE_CODE_VERSIONS.slice(0, 1);

/** `const { path, skip } = part('tmux'); test('…', { skip }, …)` */
export function part(name: string): Part {
  const parts = JSON.parse(process.env['TIDEMARK_TEST_PARTS'] ?? '{}') as Record<
    string,
    { path?: string; missing?: string }
  >;
  const { path, missing = `only npm test prepares ${name}` } = parts[name] ?? {};
  return path ? { path, skip: undefined } : { path: '', skip: missing };
}

export function claudeCode(version: (typeof CLAUDE_CODE_VERSIONS)[number]): Part {
  return part(`claude-code-${version}`);
}
