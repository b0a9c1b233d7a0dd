import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryId, shortId, type Memory, type Session } from '../../core/index.ts';
import { MemoryIndex } from '../../database/index.ts';
import { markdownPage, sessionsMarkdown } from './markdown.ts';

const AT = '2026-11-12T09:00:00.000Z';
const SESSION: Session = {
  id: 'session-1',
  agent: 'claude-code',
  project: 'engine-abc12',
  title: 'Move the queue',
  startedAt: AT,
  lastAt: AT,
  turns: 1,
  status: 'completed',
  source: 'startup',
  summary: {
    request: 'Move the queue to pg-boss',
    investigated: '',
    learned: 'Jobs were lost on restart',
    completed: '',
    next_steps: '',
    files_read: '',
    files_edited: '',
    notes: '',
  },
};

function memory(at: number, parts: Partial<Memory>): Memory {
  const kind = parts.kind ?? 'decision';
  return {
    id: memoryId(AT, `turn-${at}`, kind, at),
    kind,
    title: 'The queue is pg-boss',
    body: '',
    facts: [],
    concepts: [],
    files: [],
    project: SESSION.project,
    at: AT,
    state: 'current',
    provenance: { agent: 'claude-code', session: SESSION.id, turn: 'turn-1', messages: [], by: 'agent' },
    ...parts,
  };
}

const DECISION = memory(1, { reason: 'Redis is one more server', files: ['src/queue.ts'] });
const ISSUE = memory(2, { kind: 'issue', state: 'open', title: 'The return path loses jobs' });
const ENDED = memory(3, { title: 'The queue is Redis', state: 'superseded', files: ['src/queue.ts'] });

function indexed(): MemoryIndex {
  const index = MemoryIndex.open(':memory:');
  index.upsertMemories([DECISION, ISSUE, ENDED].map((memory) => ({ memory })));
  index.upsertSession(SESSION);
  index.upsertTurns([
    {
      id: 'turn-1',
      session: SESSION.id,
      project: SESSION.project,
      at: AT,
      endedAt: AT,
      origin: 'person',
      outcome: 'interrupted',
      prompt: 'Move the queue\u202e to pg-boss\nand test it',
      answer: 'Looking at it.\n\nThe queue is pg-boss now.\n\nNoted (decision): The queue is pg-boss.',
      tools: 2,
      edited: ['src/queue.ts'],
      commits: [{ hash: '3f2a1bc', subject: 'Move the queue' }],
      hash: 'h',
    },
  ]);
  return index;
}

test('the page of a project lists what is open and in force, and where things are', () => {
  assert.equal(
    markdownPage(indexed(), SESSION.project),
    [
      '# engine-abc12: what to know now',
      '## Open issues',
      `- The return path loses jobs. \`${shortId(ISSUE.id)}\``,
      '## Decisions',
      `- The queue is pg-boss. Why: Redis is one more server. \`${shortId(DECISION.id)}\``,
      '## Where things are',
      '- `src/queue.ts`: The queue is pg-boss.',
    ].join('\n\n'),
  );
});

test('a project without memories has no page', () => {
  assert.equal(markdownPage(MemoryIndex.open(':memory:'), SESSION.project), undefined);
});

test('the page of a session has its summary, a line per turn, and its memories with their states', () => {
  const page = markdownPage(indexed(), undefined, SESSION.id) ?? '';
  assert.match(
    page,
    /^# Move the queue\n\n2026-11-12 09:00 · engine-abc12 · claude-code · 1 turn · completed/,
  );
  assert.match(
    page,
    /\n- \*\*request\*\*: Move the queue to pg-boss\n- \*\*learned\*\*: Jobs were lost on restart\n/,
  );
  assert.match(
    page,
    /\n## Turns\n\n- 2026-11-12 09:00 Move the queue to pg-boss → The queue is pg-boss now\. · interrupted · `src\/queue\.ts` · 3f2a1bc Move the queue\n/,
  );
  assert.match(page, /\n- decision: The queue is Redis\. \(superseded\) `\w{7}`/);
});

test('a list of sessions has a heading and a summary for each', () => {
  const list = sessionsMarkdown([SESSION, { ...SESSION, id: 'session-2', title: 'Fix the port' }]);
  assert.deepEqual(list.match(/^## .*/gm), ['## Move the queue', '## Fix the port']);
});
