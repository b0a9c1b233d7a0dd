/** Recognises tool calls that prove finished work: a commit, or tests that pass. Pure. */
import type { ToolCall } from '../core/index.ts';

/** A command that records finished work. */
export const RECORDS_WORK = /\bgit\s+(?:-\S+\s+\S+\s+)*commit\b|\bgh\s+pr\s+(?:create|merge)\b/;

const TEST_COMMAND =
  /\b(?:test|tests|vitest|jest|mocha|pytest|phpunit|rspec|ctest|gotestsum|playwright|cypress|tox|nox|check|verify|spec)\b/i;
const PASSED =
  /\b(?:pass(?:ed|es|ing)?|ok|succe(?:ss(?:ful(?:ly)?)?|eded)|0 fail(?:ed|ures)?|all green|no errors)\b|✓|✔/i;
const FAILED = /\b(?:[1-9]\d* (?:failed|failures?|errors?)|FAIL(?:ED)?|failing|error:)\b|✗|✘/;

function passedTests({ command = '', output = '' }: ToolCall): boolean {
  return TEST_COMMAND.test(command) && PASSED.test(output) && !FAILED.test(output);
}

/** Whether a tool call shows that work is finished. */
export function provesWork(tool: ToolCall): boolean {
  return tool.status === 'ok' && (RECORDS_WORK.test(tool.command ?? '') || passedTests(tool));
}
