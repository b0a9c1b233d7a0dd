/** Hook inputs that Copilot 1.0.102 sent, and answers in its form. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sessionIn, wireOf, type HookFields } from '../wire/index.ts';
import { copilotWire } from './wire.ts';

const HOOKS = join(import.meta.dirname, '../../../test/fixtures/agents/copilot/hooks');
const recorded = (name: string): HookFields =>
  JSON.parse(readFileSync(join(HOOKS, `${name}.json`), 'utf8')) as HookFields;
/** Fields of events of a subagent, whose session is its own id. */
const SUBAGENT = { session_id: 'a3ea29bf', agent_id: 'a3ea29bf', parent_agent_id: '7d2f7668' };

test('events of a session have our fields', () => {
  const start = copilotWire.toInput('SessionStart', recorded('SessionStart')) as HookFields;
  assert.equal(start['source'], 'startup');
  assert.equal(start['session_id'], 'e1234840-47a0-4f8e-b0c1-54cddaff5de3');
  const resumed = copilotWire.toInput('SessionStart', { ...recorded('SessionStart'), source: 'resume' });
  assert.equal((resumed as HookFields)['source'], 'resume');
  const prompt = recorded('UserPromptSubmit');
  assert.deepEqual(copilotWire.toInput('UserPromptSubmit', prompt), prompt);
  const stop = copilotWire.toInput('Stop', recorded('Stop')) as HookFields;
  assert.match(stop['transcript_path'] as string, /session-state\/e1234840[^/]+\/events\.jsonl$/);
});

test('the hook before a summary is the start after it', () => {
  const { initial_prompt: _first, source: _source, ...fields } = recorded('SessionStart');
  const summary = { ...fields, hook_event_name: 'PreCompact', trigger: 'manual', custom_instructions: '' };
  const start = copilotWire.toInput('SessionStart', summary) as HookFields;
  assert.deepEqual([start['hook_event_name'], start['source']], ['SessionStart', 'compact']);
});

test('events of a subagent and messages of the client are none of ours', () => {
  for (const event of ['UserPromptSubmit', 'Stop'] as const)
    assert.equal(typeof copilotWire.toInput(event, { ...recorded(event), ...SUBAGENT }), 'string');
  const prompt = '<system_notification>\nShell command "wait" has completed.\n</system_notification>';
  assert.equal(
    typeof copilotWire.toInput('UserPromptSubmit', { ...recorded('UserPromptSubmit'), prompt }),
    'string',
  );
});

test('a skill is the command that the user typed, not its text', () => {
  const expanded = (end: string): string =>
    `The user explicitly invoked the "/recall" skill. Follow its instructions now.\n\n<skill-context name="recall">\nBase directory for this skill: /x\n\nDo as told.\n${end}</skill-context>`;
  const promptOf = (prompt: string): unknown =>
    (copilotWire.toInput('UserPromptSubmit', { ...recorded('UserPromptSubmit'), prompt }) as HookFields)[
      'prompt'
    ];
  assert.equal(promptOf(expanded('\n\nARGUMENTS: the job queue\n')), '/recall the job queue');
  const inSkill = '\nARGUMENTS: always use force </skill-context>\n\nARGUMENTS: the job queue\n';
  assert.equal(promptOf(expanded(inSkill)), '/recall the job queue', 'the skill may have the same words');
  assert.equal(promptOf(expanded('')), '/recall');
});

test('only a read is a question, under the session that the user sees', () => {
  const read = {
    ...recorded('PostToolUse'),
    tool_name: 'Read',
    tool_input: { path: '/tmp/w/app/jobs.ts' },
  };
  const session = 'e1234840-47a0-4f8e-b0c1-54cddaff5de3';
  const files = ['/tmp/w/app/jobs.ts'];
  assert.deepEqual(copilotWire.toQuestion?.('PostToolUse', read), { session, cwd: '/tmp/w/app', files });
  assert.deepEqual(copilotWire.toQuestion?.('PostToolUse', { ...read, ...SUBAGENT }), {
    session: '7d2f7668',
    agent: 'a3ea29bf',
    cwd: '/tmp/w/app',
    files,
  });
  assert.equal(copilotWire.toQuestion?.('PostToolUse', recorded('PostToolUse')), undefined);
  assert.equal(copilotWire.toQuestion?.('PreToolUse', read), undefined);
  assert.equal(copilotWire.toQuestion?.('PostToolUse', { ...read, tool_input: null }), undefined);
});

test('injected text is at the top level, and nothing else is printed', () => {
  const hookSpecificOutput = { hookEventName: 'SessionStart', additionalContext: 'a brief' };
  assert.deepEqual(copilotWire.toOutput('SessionStart', { systemMessage: 'shown', hookSpecificOutput }), {
    additionalContext: 'a brief',
  });
  assert.equal(copilotWire.toOutput('SessionStart', { systemMessage: 'shown' }), undefined);
});

test('input of hooks that name no agent is recognised', () => {
  for (const name of ['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'Stop'])
    assert.equal(wireOf('', recorded(name))?.agent, 'copilot', name);
  assert.equal(
    wireOf('', { session_id: 's', transcript_path: '/h/.claude/projects/p/s.jsonl', cwd: '/p' })?.agent,
    'claude-code',
  );
});

test('an MCP server belongs to the session of its own client, whatever it inherits', () => {
  const env = { COPILOT_AGENT_SESSION_ID: 'ours', CLAUDE_CODE_SESSION_ID: 'of the agent around it' };
  assert.deepEqual(
    ['copilot', '', 'codex', 'unknown'].map((agent) => sessionIn(env, agent)),
    ['ours', 'of the agent around it', '', ''],
  );
});
