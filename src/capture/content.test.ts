import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolCall, Turn } from '../core/index.ts';
import { contentOf, isAsideCommand } from './content.ts';

function turn(prompt: string, tools: readonly Partial<ToolCall>[] = [], more: Partial<Turn> = {}): Turn {
  return {
    id: 'turn-1',
    agent: 'claude-code',
    session: 's1',
    origin: 'person',
    startedAt: '2026-11-16T10:00:00.000Z',
    endedAt: '2026-11-16T10:00:30.000Z',
    outcome: 'answered',
    prompt,
    answer: 'We decided to use pg-boss for the job queue.',
    tools: tools.map((tool, i) => ({
      id: `call-${i}`,
      name: 'Bash',
      status: 'ok' as const,
      errors: [],
      read: [],
      edited: [],
      ...tool,
    })),
    messages: ['turn-1'],
    ...more,
  };
}

test('our own slash commands and commands of the client are not content', () => {
  for (const prompt of [
    '/tidemark:search pg-boss',
    '/tidemark:undo',
    '/tidemark:remember we always use tabs',
    '/clear',
    '/compact keep the plan',
    '/model opus',
    '/help',
  ]) {
    assert.equal(contentOf(turn(prompt)), undefined, prompt);
    assert.equal(isAsideCommand(prompt), true, prompt);
  }
});

test('commands of the project and prompts that only mention one are content', () => {
  for (const prompt of ['/init', '/review 42', '/deploy staging', '/clearly a typo', 'run /clear now', '']) {
    assert.deepEqual(contentOf(turn(prompt)), turn(prompt), prompt);
    assert.equal(isAsideCommand(prompt), false, prompt);
  }
});

test('text that the user added while a command ran is content', () => {
  assert.equal(
    contentOf(turn('/tidemark:search x\n\nFrom now on we use tabs.'))?.prompt,
    'From now on we use tabs.',
  );
});

test('an answer that was only read from memory is not content', () => {
  const question = 'What did we decide about the job queue?';
  const reads: readonly (readonly Partial<ToolCall>[])[] = [
    [{ name: 'mcp__plugin_tidemark_memory__search' }, { name: 'mcp__plugin_tidemark_memory__show' }],
    [{ name: 'ToolSearch' }, { name: 'mcp__tidemark__timeline' }],
    [{ command: "tidemark search -- 'job queue' | head -20" }],
    [{ command: 'tidemark search queue 2>&1 | head' }],
    [{ command: '/opt/tidemark/bin/tidemark show 01ab && tidemark timeline 01ab' }],
    [{ name: 'Skill', target: 'tidemark:memory-recall' }, { command: 'tidemark search queue' }],
  ];
  for (const tools of reads) assert.equal(contentOf(turn(question, tools)), undefined, JSON.stringify(tools));
  assert.equal(contentOf(turn('Recall what we know about jobs', reads[0])), undefined);
  const asked = turn('Look up the decisions', reads[0], { origin: 'subagent' });
  assert.equal(contentOf(asked), undefined);
});

test('a statement beside the question stays, without the answer from memory', () => {
  const tools = [{ name: 'mcp__plugin_tidemark_memory__search' }];
  const kept = contentOf(turn('We never use floats for money. What did we decide about rounding?', tools));
  assert.equal(kept?.prompt, 'We never use floats for money. What did we decide about rounding?');
  assert.equal(kept?.answer, '');
  assert.deepEqual(kept?.tools, []);
});

test('a turn that only reads files with a shell is content', () => {
  for (const command of [
    'grep -n renderer project.godot',
    'cat a.ts | head -20',
    'sort names.txt; wc -l x',
  ]) {
    const one = turn('the web export is black, ideas?', [{ command }]);
    assert.deepEqual(contentOf(one), one, command);
  }
});

test('a turn that did something besides reading memory is content', () => {
  for (const tools of [
    [{ name: 'mcp__plugin_tidemark_memory__search' }, { name: 'Edit' }],
    [{ command: 'tidemark search queue && npm test' }],
    [{ command: 'tidemark search queue > notes.md' }],
    [{ name: 'mcp__plugin_tidemark_memory__remember' }],
    [{ name: 'mcp__other__search' }],
    [{ command: 'grep -c runtime notebooks/*.ipynb' }],
    [{ command: 'cat package.json | jq .scripts' }],
    [{ command: 'tidemark search queue; cat src/queue.ts' }],
    [],
  ])
    assert.notEqual(contentOf(turn('What did we decide?', tools)), undefined, JSON.stringify(tools));
});
