/** Reads the checks of a turn (tests, builds) from its commands. Pure. */
import type { StoredTurn, ToolCall } from '../../core/index.ts';
import { provesWork } from '../proof.ts';

/** Programs whose failure means a fault, with the words that distinguish one check from another. */
const CHECKS =
  /\b(?:(?:npm|pnpm|yarn|bun|deno)(?: run)? [\w:-]+|npx [\w@/:-]+|(?:cargo|go|dotnet|mix|swift|rake|mvn|sbt|zig|flutter|dart) [\w:-]+|\.?\/?gradlew? [\w:-]+|(?:make|just|bazel|task)(?: [\w:-]+)?|pytest|tox|ruff|mypy|jest|vitest|mocha|eslint|oxlint|tsc|golangci-lint(?: run)?|rspec|phpunit|ctest|node --test|python3? -m \w+)/;

/** Whether the turn shows its work: a commit, or tests that pass after the last edit. */
export function isShown(turn: StoredTurn): boolean {
  const lastEdit = turn.tools.findLastIndex((tool) => tool.edited.length > 0);
  return turn.tools.slice(lastEdit + 1).some(provesWork);
}

/** Checks whose last run failed. */
export function failingAtEnd(turn: StoredTurn): readonly string[] {
  const last = new Map<string, ToolCall['status']>();
  for (const tool of turn.tools) {
    const check = checkOf(tool);
    if (check !== undefined) last.set(check, tool.status);
  }
  return [...last].filter(([, status]) => status === 'error').map(([check]) => check);
}

/** Runs of one check have the same name in any folder, filter and pipe. */
function checkOf({ command = '' }: ToolCall): string | undefined {
  const bare = command
    .replace(/^\s*(?:cd\s+\S+\s*(?:&&|;)\s*|[A-Z_]+=\S+\s+)*/, '')
    .replace(/\s*(?:2>&1|[|>]).*$/s, '');
  return CHECKS.exec(bare)?.[0];
}
