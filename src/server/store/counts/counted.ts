/** How memories are counted: the SQL that the triggers, the index and the statements share. Pure. */

/**
 * The agents that are counted by name. A client can send any text, which must not become rows of its own. The list is part
 * of a migration and of an index: a new agent needs a migration that replaces both and counts again.
 */
export const COUNTED_AGENTS = [
  'claude-code',
  'codex',
  'copilot',
  'qwen',
  'opencode',
  'pi',
  'gemini',
  'cline',
] as const;

const LISTED = COUNTED_AGENTS.map((agent) => `'${agent}'`).join(', ');

/** SQL for the agent that a memory is counted under. */
export const COUNTED_AGENT = (column: string): string =>
  `(CASE WHEN ${column} = ANY (ARRAY[${LISTED}]) THEN ${column} ELSE 'other' END)`;

/** SQL for the quarter of an hour of a time, 0 to 95. */
export const QUARTER_OF = (column: string): string =>
  `(CASE WHEN ${column} ~ '^.{11}[0-9]{2}:[0-9]{2}'
      THEN substr(${column}, 12, 2)::integer * 4 + substr(${column}, 15, 2)::integer / 15 ELSE 0 END)`;

export const QUARTER_MS = 15 * 60_000;
export const QUARTERS_PER_DAY = 96;

/** SQL for the number of memories of a `project_day` row `d` before a quarter. */
export const BEFORE_QUARTER = (quarter: string): string =>
  `coalesce(d.upto[width_bucket(${quarter} - 1, d.quarters)], 0)`;
