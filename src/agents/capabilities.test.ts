/** The table in docs/agents.md shows what the capability tables say. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import type { CodingAgent, Moment, MomentSupport } from './agent.ts';
import { CODING_AGENTS } from './registry.ts';

const COLUMNS: readonly (readonly [string, Moment])[] = [
  ['session start', 'start'],
  ['with a prompt', 'prompt'],
  ['when a file is read', 'read'],
  ['before an edit', 'edit'],
  ['answer done', 'stop'],
  ['summary of the conversation', 'compact'],
  ['session end', 'end'],
];

test('docs/agents.md has the table of the moments', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/agents.md'), 'utf8');
  assert.ok(page.includes(table()), `docs/agents.md must contain:\n\n${table()}`);
});

function table(): string {
  const head = ['agent', ...COLUMNS.map(([title]) => title), 'past sessions'];
  const rows = CODING_AGENTS.map((agent) => [
    agent.title,
    ...COLUMNS.map(([, moment]) => cell(agent, moment)),
    'yes',
  ]);
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function cell({ capabilities, installer }: CodingAgent, moment: Moment): string {
  const support: MomentSupport | undefined = capabilities[moment];
  if (!support || !installer) return 'no';
  const what = support.answers ? 'answered' : 'reported';
  return support.by === 'command' ? what : `${what}, no process`;
}
