/** The real Codex: one memory with Claude Code, trust that survives an update, and a removal without traces. */
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { askOnce, codingAgent } from '../../src/agents/index.ts';
import { callDaemon } from '../support/call.ts';
import { requestText, type ResponsesRequest } from '../support/responses-stand-in.ts';
import { waitFor } from '../support/wait-for.ts';
import { installTrusted, openCodex, trustAll, WRITTEN_BY_CODEX, type CodexStage } from './_codex.ts';
import { agentParts, claudeDecides, claudeKnows, DECIDED, DECISION, filesIn, NEXT_PROMPT } from './_stage.ts';

const { path: script, claude, skip } = agentParts('codex-0.166.0');

test('Codex: a decision reaches its next session and the next one of Claude Code', { skip }, async (t) => {
  const codex = await openCodex(t, claude, script);
  await installTrusted(codex);
  await codex.exec(DECISION);
  await codex.stage.remembered(DECIDED);
  const [first] = await codex.exec(NEXT_PROMPT);
  assert.match(requestText(first), DECIDED, codex.stage.logs());
  await claudeKnows(codex.stage);
});

test('Codex: a decision made in Claude Code reaches its next session', { skip }, async (t) => {
  const codex = await openCodex(t, claude, script);
  await installTrusted(codex);
  await claudeDecides(codex.stage);
  await codex.stage.remembered(DECIDED);
  const [first] = await codex.exec(NEXT_PROMPT);
  assert.match(requestText(first), DECIDED, codex.stage.logs());
});

test(
  'Codex: status says that hooks are not trusted yet, and an update asks for no new trust',
  { skip },
  async (t) => {
    const codex = await openCodex(t, claude, script);
    const { installer, world, claude: claudeStage } = codex.stage;
    const { folder: found, version } = (await installer.find(world.env)) ?? {};
    assert.deepEqual([found, version], [codex.folder, '0.166.0']);
    await installer.install(world);
    const untrusted = await installer.status(world);
    assert.equal(untrusted.state, 'faulty');
    assert.match(untrusted.findings[0]?.text ?? '', /does not run 9 of our 9 hooks/);
    assert.match(untrusted.findings[0]?.next ?? '', /Start codex once/);
    await codex.exec(DECISION);
    assert.doesNotMatch(
      claudeStage.logs(),
      /"event":"UserPromptSubmit"/,
      'Codex skips hooks that are not trusted',
    );

    await trustAll(codex);
    const trusted = await installer.status(world);
    assert.deepEqual([trusted.state, trusted.findings], ['installed', []]);
    assert.match(trusted.evidence, /^9 hooks in .*hooks\.json, all trusted$/);

    const newer = join(codex.stage.home, 'tidemark-9.9.9');
    cpSync(world.plugin, newer, { recursive: true, verbatimSymlinks: true });
    writeFileSync(world.places.program, `${join(newer, 'dist')}\n`);
    assert.deepEqual(await installer.install({ ...world, plugin: newer }), []);
    assert.deepEqual(await installer.status({ ...world, plugin: newer }), trusted);
    await codex.exec(DECISION);
    await codex.stage.remembered(DECIDED);
  },
);

test('Codex: removal leaves nothing behind', { skip }, async (t) => {
  const codex = await openCodex(t, claude, script);
  const { installer, world } = codex.stage;
  const before = filesIn(codex.folder, WRITTEN_BY_CODEX);
  await installTrusted(codex);
  await codex.exec('Hello.');
  await installer.remove(world);
  assert.deepEqual(filesIn(codex.folder, WRITTEN_BY_CODEX), before);
  assert.equal((await installer.status(world)).state, 'absent');
  await codex.exec('Hello again.');
});

test('Codex: our plugin from its marketplace is removed by an install', { skip }, async (t) => {
  const codex = await openCodex(t, claude, script);
  const { installer, world, home } = codex.stage;
  const market = join(home, 'market');
  cpSync(join(import.meta.dirname, '../../.claude-plugin'), join(market, '.claude-plugin'), {
    recursive: true,
  });
  cpSync(world.plugin, join(market, 'plugin'), { recursive: true, verbatimSymlinks: true });
  await codex.stage.run(['plugin', 'marketplace', 'add', market]);
  await codex.stage.run(['plugin', 'add', 'tidemark@tidemark']);
  await trustAll(codex);
  assert.equal((await installer.status(world)).state, 'installed');
  assert.match((await installer.plan(world))[0] ?? '', /remove the plugin tidemark@tidemark/);
  await installer.install(world);
  const config = readFileSync(join(codex.folder, 'config.toml'), 'utf8');
  assert.doesNotMatch(config, /plugins\."tidemark@|"tidemark@tidemark:hooks/);
  const { findings } = await installer.status(world);
  assert.equal(findings.length, 1, 'only trust is missing');
});

test(
  'Codex: memories about a file reach the model when it is read and before it is changed',
  { skip },
  async (t) => {
    const codex = await openCodex(t, claude, script);
    const { stage, model } = codex;
    await installTrusted(codex);
    giveTime(codex);
    for (const file of ['queue', 'cache'])
      writeFileSync(join(stage.project, `${file}.ts`), `export const ${file} = 1;\n`);
    await remember(codex, 'Mails are sent in batches', 'queue.ts', 'The provider blocks us after 7 at once.');
    await remember(codex, 'Prices are kept shortly', 'cache.ts', 'They change every 11 minutes.');

    const prompt = 'Go on.';
    const patch =
      '*** Begin Patch\n*** Update File: cache.ts\n@@\n-export const cache = 1;\n+export const cache = 2;\n*** End Patch';
    model.play(prompt, [
      { tools: [{ name: 'exec_command', input: { cmd: 'cat queue.ts' } }] },
      { tools: [{ name: 'apply_patch', input: patch }] },
      { text: 'Changed.' },
    ]);
    const [start, afterRead, afterEdit] = await codex.exec(prompt);
    assert.match(addedText(start, afterRead), /Mails are sent in batches/, stage.logs());
    assert.match(addedText(afterRead, afterEdit), /Prices are kept shortly/, stage.logs());
    assert.equal(readFileSync(join(stage.project, 'cache.ts'), 'utf8'), 'export const cache = 2;\n');
  },
);

test(
  'Codex: its model searches and notes without approval, in the project of the session',
  { skip },
  async (t) => {
    const codex = await openCodex(t, claude, script);
    const { stage, model } = codex;
    await installTrusted(codex);
    await remember(codex, 'Mails are sent in batches', 'queue.ts', 'The provider blocks us after 7 at once.');
    const prompt = 'Go on.';
    const tool = (name: string, input: object) => ({ tools: [{ namespace: 'mcp__tidemark', name, input }] });
    model.play(prompt, [
      tool('search', { query: 'mails batches' }),
      tool('remember', { title: 'Prices are kept for 11 minutes', kind: 'decision' }),
      { text: 'Noted.' },
    ]);
    const [, afterSearch, afterNote] = await codex.exec(prompt);
    assert.match(requestText(afterSearch), /Mails are sent in batches/);
    assert.match(requestText(afterNote), /Noted as|Remembered as/, 'the note needs no approval');
    await stage.remembered(/Prices are kept for 11 minutes/);
    const memories = await callDaemon(stage.claude.places, 'read.memories', { dir: stage.project });
    assert.ok(memories.some(({ title }) => title === 'Prices are kept for 11 minutes'));
  },
);

test(
  "Codex: its turns are stored once, and the prompt of a subagent is not the user's",
  { skip },
  async (t) => {
    const codex = await openCodex(t, claude, script);
    const { stage, model } = codex;
    const { places } = stage.claude;
    await installTrusted(codex);
    const prompt = 'Ask a helper.';
    const task = 'Count the files and report.';
    model.play(prompt, [
      { tools: [{ namespace: 'multi_agent_v1', name: 'spawn_agent', input: { message: task } }] },
      { tools: [{ name: 'exec_command', input: { cmd: 'sleep 2' } }] },
      { text: 'Asked.' },
    ]);
    // A model without code mode, which has the tool for subagents.
    await codex.exec(prompt, '-m', 'stand-in');
    const turns = await waitFor(
      'both turns',
      async () => {
        const [session] = await callDaemon(places, 'read.sessions', { dir: stage.project });
        const stored = session ? await callDaemon(places, 'read.turns', { session: session.id }) : [];
        return stored.length >= 2 && stored.every(({ outcome }) => outcome !== 'open') ? stored : undefined;
      },
      { explain: () => stage.logs() },
    );
    assert.deepEqual(turns.map((turn) => [turn.agent, turn.origin, turn.prompt, turn.outcome]).toSorted(), [
      ['codex', 'person', prompt, 'answered'],
      ['codex', 'subagent', task, 'answered'],
    ]);
    const [main, child] = turns.toSorted((a, b) => (a.origin < b.origin ? -1 : 1));
    assert.equal(child?.continues, main?.id);
  },
);

test('Codex: a one-shot request answers and leaves no trace', { skip }, async (t) => {
  const codex = await openCodex(t, claude, script);
  const { stage, model } = codex;
  const { places } = stage.claude;
  await installTrusted(codex);
  const agent = codingAgent('codex');
  assert.ok(agent);
  const ask = () => {
    const request = { model: 'gpt-5.5', system: 'Write notes.', prompt: 'The turns.' };
    const signal = AbortSignal.timeout(60_000);
    return askOnce(agent, { ...request, env: stage.env(), cwd: places.run, signal });
  };
  model.play('The turns.', [{ text: 'Noted (decision): Tabs.' }]);
  const answer = await ask();
  assert.ok(answer.kind === 'answered', JSON.stringify(answer));
  assert.equal(answer.text, 'Noted (decision): Tabs.');
  assert.ok(answer.inputTokens > 0);
  assert.deepEqual(
    model.requests.map((sent) => requestText(sent).trim().split(/\n+/)),
    [['Write notes.', 'The turns.']],
    'one request, with nothing but ours',
  );
  assert.ok(!existsSync(join(codex.folder, 'sessions')), 'no transcript');
  await callDaemon(places, 'drain', {});
  assert.deepEqual(await callDaemon(places, 'read.sessions', { dir: stage.project }), []);

  model.play('The turns.', [{ error: 401 }]);
  const refused = await ask();
  assert.equal(refused.kind === 'failed' && refused.reason, 'refused');
});

/** Returns the text that hooks added between two requests. */
function addedText(before: ResponsesRequest | undefined, after: ResponsesRequest | undefined): string {
  const added = (after?.input ?? []).slice(before?.input.length);
  return requestText({ input: added.filter(({ role }) => role === 'developer') });
}

/** Codex starts the server with an environment made from nothing; the time of a busy machine comes from its settings. */
function giveTime({ folder }: CodexStage): void {
  appendFileSync(join(folder, 'config.toml'), '\n[mcp_servers.tidemark.env]\nTIDEMARK_EDIT_MS = "1800"\n');
}

async function remember({ stage }: CodexStage, title: string, file: string, body: string): Promise<void> {
  const facts = ['Agreed with the operators', 'Reviewed twice a year'];
  const draft = { kind: 'decision', title, body, facts, concepts: [], files: [file] } as const;
  await callDaemon(stage.claude.places, 'remember', { draft, dir: stage.project });
}
