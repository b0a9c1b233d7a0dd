/** Recorded sessions of Codex, played as its hooks report them: each turn is stored once, with its real origin and outcome. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { translatorOf } from '../agents/wire/index.ts';
import { placesIn, type HookName } from '../core/index.ts';
import { localDistiller } from '../distill/index.ts';
import { toSpooledEvent } from '../privacy/index.ts';
import { openStores } from './open-stores.ts';
import { Pauses } from './pauses.ts';
import { Pipeline } from './pipeline.ts';

const FIXTURES = join(import.meta.dirname, '../../test/fixtures/agents/codex');

test('a turn that the user interrupts is stored as soon as Codex says so', async (t) => {
  const world = await open(t);
  const lines = world.lines('tui-compact-interrupt');
  const isOf = (event: string) => (line: string) => line.includes(`"type":"${event}"`);
  const [firstEnd, aborted] = [lines.findIndex(isOf('task_complete')), lines.findIndex(isOf('turn_aborted'))];
  world.write('Interrupt', lines.slice(0, firstEnd));
  await world.play('SessionStart', 'SessionStart.compact', '2026-11-16T03:59:13.700Z');
  // The hook comes before the end of the turn is written.
  world.write('Interrupt', lines.slice(0, aborted));
  await world.play('Stop', 'Interrupt', '2026-11-16T03:59:26.400Z');
  const wanted = [
    ['person', 'answered', 'first [[say one]]'],
    ['person', 'interrupted', 'long [[sleep 8000]] [[say never]]'],
  ];
  assert.deepEqual(world.turns(), wanted);
  world.write('Interrupt', lines);
  await world.play('Stop', 'Interrupt', '2026-11-16T03:59:26.400Z');
  assert.deepEqual(world.turns(), wanted, 'a second reading adds nothing');
});

test('a subagent belongs to the turn that started it, and its prompt is not an event', async (t) => {
  const world = await open(t);
  world.write('SubagentStop', world.lines('subagent-parent'));
  world.write('UserPromptSubmit.subagent', world.lines('subagent-child'));
  await world.play('SubagentStop', 'SubagentStop', '2026-11-16T03:58:42.600Z');
  assert.equal(world.refused('UserPromptSubmit', 'UserPromptSubmit.subagent'), 'an event of a subagent');
  const { stores, session } = world;
  const [indexed] = stores.index.turnsIn(session());
  const child = indexed?.location ? await stores.turns.get(indexed.location) : undefined;
  assert.deepEqual(
    [child?.origin, child?.outcome, child?.continues],
    ['subagent', 'answered', '01a1e281-cb55-74c3-bd83-58cfa47427a3'],
  );
  assert.equal(stores.index.session(session())?.agent, 'codex');
});

test('a resumed session continues, and a fork has its own turns', async (t) => {
  const world = await open(t);
  world.write('SessionStart.resume', world.lines('edit-reasoning-resume'));
  await world.play('SessionStart', 'SessionStart.resume', '2026-11-16T03:56:37.100Z');
  await world.play('SessionEnd', 'SessionStart.resume', '2026-11-16T03:56:38.000Z', 'SessionEnd');
  assert.deepEqual(
    world.turns().map(([, outcome]) => outcome),
    ['answered', 'answered'],
  );
  world.write('SessionStart.fork', world.lines('fork'));
  await world.play('SessionStart', 'SessionStart.fork', '2026-11-16T03:56:39.200Z');
  await world.play('SessionEnd', 'SessionStart.fork', '2026-11-16T03:56:41.000Z', 'SessionEnd');
  assert.deepEqual(world.turns(), [['person', 'answered', 'forked turn [[say forked]]']]);
});

async function open(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'codex-sessions-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const { stores } = await openStores(placesIn(join(root, 'data')));
  t.after(() => stores.index.close());
  const pipeline = new Pipeline({
    stores,
    distiller: localDistiller,
    pauses: new Pauses(),
    scope: { ignore: [], isEnabled: () => true },
    onCaptured: () => {},
  });
  const sessions = join(root, 'sessions/2026/11/16');
  const cwd = join(root, 'app');
  for (const folder of [sessions, cwd]) mkdirSync(folder, { recursive: true });
  let session = '';
  /** The input of a hook, with folders of this test instead of the recorded ones. */
  const input = (name: string, event?: string): string => {
    const fields = JSON.parse(readFileSync(join(FIXTURES, 'hooks', `${name}.json`), 'utf8')) as {
      session_id: string;
      transcript_path: string;
      agent_transcript_path?: string;
    };
    session = fields.session_id;
    const moved = (path: string): string => join(sessions, basename(path));
    const agent = fields.agent_transcript_path;
    return JSON.stringify({
      ...fields,
      cwd,
      transcript_path: moved(fields.transcript_path),
      ...(agent ? { agent_transcript_path: moved(agent) } : {}),
      ...(event ? { hook_event_name: event } : {}),
    });
  };
  let events = 0;
  const parsed = (hook: HookName, stdin: string, at: string) =>
    toSpooledEvent(
      stdin,
      hook,
      { attempt: `event-${events++}`, projectDir: cwd },
      new Date(at),
      translatorOf('codex', hook),
    );
  return {
    stores,
    session: () => session,
    lines: (name: string) =>
      readFileSync(join(FIXTURES, 'transcripts', `${name}.jsonl`), 'utf8').split(/(?<=\n)/),
    /** Writes the transcript that the hook's input names. */
    write(hook: string, lines: readonly string[]): void {
      const { transcript_path: path } = JSON.parse(input(hook)) as { transcript_path: string };
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, lines.join(''));
    },
    async play(hook: HookName, name: string, at: string, event?: string): Promise<void> {
      const parse = parsed(hook, input(name, event), at);
      assert.ok(parse.ok, JSON.stringify(parse));
      assert.equal(await pipeline.process(parse.event, true), 'done');
    },
    refused(hook: HookName, name: string): string {
      const parse = parsed(hook, input(name), new Date(0).toISOString());
      return parse.ok ? '' : parse.reason;
    },
    turns: () =>
      stores.index.turnsIn(session).map(({ origin, outcome, prompt }) => [origin, outcome, prompt]),
  };
}
