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

const SUMMARY_LINE =
  /\b\d+ (?:passed|failed|failures?|errors?|tests?|skipped|examples?|assertions?)\b|\b(?:Tests?|Test Files|Suites?|Ran)\b.*\d|\b(?:PASS|FAIL|FAILED|OK)\b|\bok\b.*\d/;
const ERROR_LINE = /\b(?:error|exception|fatal|panic|denied|refused|timed? ?out|not found|cannot)\b/i;

/** The lines of an output that say how it went: errors and test summaries, else the first and the last line. */
export function importantLines({ output = '', errors, status }: ToolCall, limit: number): readonly string[] {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const telling = [
    ...errors.slice(0, 2),
    ...lines.filter((line) => SUMMARY_LINE.test(line)).slice(-2),
    ...(status === 'ok' ? [] : lines.filter((line) => ERROR_LINE.test(line)).slice(0, 2)),
  ];
  const chosen = telling.length > 0 ? telling : [...lines.slice(0, 1), ...lines.slice(-1)];
  return [...new Set(chosen.map((line) => line.trim()))].slice(0, limit);
}
