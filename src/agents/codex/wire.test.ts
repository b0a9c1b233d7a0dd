import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { HOOK_NAMES, type HookName } from '../../core/index.ts';
import { toSpooledEvent } from '../../privacy/index.ts';
import { callFacts, outputFor, translatorOf, wireOf, type HookFields } from '../wire/index.ts';
import { filesInPatch } from '../reading/patch.ts';
import { codexWire } from './wire.ts';

const HOOKS = join(import.meta.dirname, '../../../test/fixtures/agents/codex/hooks');
const text = (name: string): string => readFileSync(join(HOOKS, `${name}.json`), 'utf8');
const input = (name: string): HookFields => JSON.parse(text(name)) as HookFields;

function event(hook: HookName, name: string) {
  return toSpooledEvent(text(name), hook, { attempt: 'attempt-1' }, new Date(0), translatorOf('codex', hook));
}

describe('events of Codex', () => {
  const events: readonly (readonly [HookName, string])[] = [
    ['SessionStart', 'SessionStart.startup'],
    ['SessionStart', 'SessionStart.resume'],
    ['SessionStart', 'SessionStart.fork'],
    ['SessionStart', 'SessionStart.compact'],
    ['UserPromptSubmit', 'UserPromptSubmit'],
    ['Stop', 'Stop'],
    ['Stop', 'Interrupt'],
    ['SubagentStop', 'SubagentStop'],
    ['PreCompact', 'PreCompact'],
    ['SessionEnd', 'SessionEnd'],
  ];
  for (const [hook, name] of events) {
    test(`${name} is our ${hook}`, () => {
      const raw = input(name);
      const parsed = event(hook, name);
      assert.ok(parsed.ok, JSON.stringify(parsed));
      const { agent, input: got } = parsed.event;
      assert.equal(agent, 'codex');
      assert.equal(got.hook_event_name, hook);
      assert.equal(got.session_id, raw['session_id']);
      assert.equal(got.transcript_path, raw['transcript_path']);
      assert.equal(got.cwd, raw['cwd']);
      assert.equal(got.prompt_id, raw['turn_id']);
      assert.equal(got.source, raw['source']);
      assert.equal(got.prompt, raw['prompt']);
      assert.equal(got.last_assistant_message, raw['last_assistant_message']);
      assert.equal(got.agent_transcript_path, raw['agent_transcript_path']);
    });
  }

  test('a prompt of a subagent is not an event: the model wrote it', () => {
    assert.deepEqual(event('UserPromptSubmit', 'UserPromptSubmit.subagent'), {
      ok: false,
      reason: 'an event of a subagent',
      isIgnored: true,
    });
  });

  test('a hook that names no agent is recognised by its input', () => {
    for (const [, name] of events) assert.equal(wireOf('', input(name))?.agent, 'codex', name);
    const claude = { session_id: 's', transcript_path: '/h/.claude/projects/x/0b1c.jsonl', prompt_id: 'p' };
    assert.equal(wireOf('', claude)?.agent, 'claude-code');
  });
});

describe('questions at tool calls', () => {
  test('a shell command before and after', () => {
    const wanted = {
      session: '01a1e27f-5a2e-76b1-bb8b-a24e1b2b5c9f',
      cwd: '/tmp/w/app',
      call: 'call_918c6e69d05c69bc',
      files: [],
      command: 'echo hi; pwd',
    };
    assert.deepEqual(codexWire.toQuestion?.('PreToolUse', input('PreToolUse.Bash')), wanted);
    assert.deepEqual(codexWire.toQuestion?.('PostToolUse', input('PostToolUse.Bash')), wanted);
  });

  test('a patch before it is applied, not after', () => {
    assert.deepEqual(codexWire.toQuestion?.('PreToolUse', input('PreToolUse.apply_patch')), {
      session: '01a1e27f-a9bf-7271-9015-9b64e783374f',
      cwd: '/tmp/w/app',
      call: 'call_c462f83c80181cd2',
      files: ['b.txt'],
      change: { removed: '', added: 'one\ntwo' },
    });
    assert.equal(codexWire.toQuestion?.('PostToolUse', input('PostToolUse.apply_patch')), undefined);
  });

  test('a subagent is named, and other tools are of no interest', () => {
    const asked = codexWire.toQuestion?.('PreToolUse', input('PreToolUse.subagent'));
    assert.equal(asked?.agent, '01a1e281-cfdd-79c3-819d-1e6b7b6a53c5');
    assert.equal(codexWire.toQuestion?.('PostToolUse', input('PostToolUse.mcp')), undefined);
    assert.equal(codexWire.toQuestion?.('PreToolUse', {}), undefined);
  });
});

test('a patch is split into its files', () => {
  const patch = [
    '*** Begin Patch',
    '*** Update File: src/a.ts',
    '*** Move to: src/b.ts',
    '@@ function x',
    ' kept',
    '-old',
    '+new',
    '*** Add File: c d.txt',
    '+one',
    '*** Delete File: e.txt',
    '*** End Patch',
  ].join('\n');
  assert.deepEqual(filesInPatch(patch), [
    { kind: 'update', path: 'src/a.ts', movedTo: 'src/b.ts', removed: 'old', added: 'new' },
    { kind: 'add', path: 'c d.txt', removed: '', added: 'one' },
    { kind: 'delete', path: 'e.txt', removed: '', added: '' },
  ]);
  assert.deepEqual(filesInPatch('no patch'), []);
});

describe('answers to Codex', () => {
  /** Keys that Codex 0.166.0 knows. One other key, and the whole answer is lost. */
  const KNOWN = ['systemMessage', 'hookSpecificOutput'];
  const answer = {
    systemMessage: 'shown',
    hookSpecificOutput: { hookEventName: 'x', additionalContext: 'injected' },
  };

  test('only known keys are sent, with the name of the hook', () => {
    for (const hook of [...HOOK_NAMES, 'PreToolUse', 'PostToolUse'] as const) {
      const output = codexWire.toOutput(hook, { ...answer, suppressOutput: true } as typeof answer);
      assert.deepEqual(Object.keys(output ?? {}), KNOWN);
      assert.deepEqual(output, {
        systemMessage: 'shown',
        hookSpecificOutput: { hookEventName: hook, additionalContext: 'injected' },
      });
    }
  });

  test('an empty answer prints nothing', () => {
    assert.equal(codexWire.toOutput('Stop', {}), undefined);
    assert.equal(outputFor('codex', 'Stop', '{}'), '');
  });

  test('a question for the user becomes a denial, before a call only', () => {
    const stop = {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'ask',
        permissionDecisionReason: 'why',
      },
    } as const;
    assert.deepEqual(codexWire.toOutput('PreToolUse', stop), {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'why',
      },
    });
    assert.equal(codexWire.toOutput('PostToolUse', stop), undefined);
  });
});

describe('calls of the MCP server', () => {
  test('the metadata of a turn names session, thread, call and folders', () => {
    const meta = {
      callId: 'call_1',
      threadId: 't1',
      sessionId: 's1',
      'x-codex-turn-metadata': {
        session_id: 's1',
        thread_id: 't1',
        turn_id: 'u1',
        workspaces: { '/srv/app': { has_changes: true } },
      },
    };
    assert.deepEqual(callFacts(meta), {
      session: 's1',
      thread: 't1',
      call: 'call_1',
      folders: ['/srv/app'],
    });
  });

  test('a hook names only its thread, and other clients nothing', () => {
    assert.deepEqual(callFacts({ threadId: 't1', progressToken: 1 }), {
      session: '',
      thread: 't1',
      call: '',
      folders: [],
    });
    assert.deepEqual(callFacts({ 'claudecode/toolUseId': 'toolu_1' }).call, 'toolu_1');
    assert.deepEqual(callFacts({}), { session: '', thread: '', call: '', folders: [] });
  });
});
