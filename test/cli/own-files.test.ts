/** Files that agents load themselves are found by search and shown, stored nowhere and never injected. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { claudeNotesFolder } from '../../src/agents/index.ts';
import type { OwnSection, SectionFound } from '../../src/recall/index.ts';
import { filesIn } from '../support/files-in.ts';
import { Machine } from '../support/machine.ts';

test('search and show find the files of agents as they are now, and store nothing of them', async (t) => {
  const { machine, put } = open(t);
  const rules = join(machine.project, 'CLAUDE.md');
  put(rules, '# Shop\n\n## Releases\nThe wombatine script ships a release.\n');
  put(join(machine.config, 'CLAUDE.md'), '## Answers\nAnswer with numbatine brevity.\n');
  put(
    join(claudeNotesFolder(machine.config, machine.project), 'MEMORY.md'),
    '- The potoroone queue needs a restart\n',
  );

  const printed = await machine.cli(['search', 'wombatine', 'release']);
  assert.match(printed.stdout, /^Files that your agents load themselves \(tidemark show <id>\):$/m);
  assert.match(
    printed.stdout,
    /^file:[0-9a-f]{8} {2}from the project's CLAUDE\.md .*Releases: The wombatine script ships a release\..*quoted: it comes with the project/m,
  );
  assert.match((await machine.cli(['search', 'numbatine'])).stdout, /from your CLAUDE\.md .*written by you/);
  assert.match((await machine.cli(['search', 'potoroone'])).stdout, /from Claude Code's memory/);

  const [first] = await sections(machine, 'wombatine');
  assert.ok(first);
  const shown = await machine.cli(['show', first.section.id]);
  assert.match(shown.stdout, /^from the project's CLAUDE\.md · Releases\n/);
  assert.ok(shown.stdout.includes('CLAUDE.md, section "Releases"'), shown.stdout);
  assert.match(shown.stdout, /\n\nThe wombatine script ships a release\.\n$/);
  const asJson = JSON.parse((await machine.cli(['show', first.section.id, '--json'])).stdout) as [
    { section: OwnSection },
  ];
  assert.deepEqual([asJson[0].section.path, asJson[0].section.evidence], [rules, 'quoted']);

  put(rules, '# Shop\n\n## Releases\nThe bettongine script ships a release.\n');
  assert.deepEqual(await sections(machine, 'wombatine'), []);
  assert.equal((await sections(machine, 'bettongine')).length, 1);
  rmSync(rules);
  assert.deepEqual(await sections(machine, 'bettongine'), []);
  const gone = await machine.cli(['show', first.section.id]);
  assert.equal(gone.code, 3);
  assert.match(gone.stderr, /Search again/);

  const stored = Object.entries(filesIn(machine.places.home)).flatMap(([name, text]) =>
    /wombatine|numbatine|potoroone|bettongine/.test(text) ? [name] : [],
  );
  assert.deepEqual(stored, []);
});

test('files of another project are found only where all projects are searched', async (t) => {
  const { machine, put } = open(t);
  const other = join(machine.root, 'other');
  put(join(other, 'AGENTS.md'), '## Deploying\nUse the quolline script.\n');
  await machine.cli(['remember', 'Other project'], { cwd: other });
  await machine.cli(['remember', 'This project']);
  assert.deepEqual(await sections(machine, 'quolline'), []);
  assert.equal((await machine.call('read.search', { query: 'quolline', all: true })).sections.length, 1);
  const [hit] = (await machine.call('read.found', { query: 'quolline', limit: 10 })).sections;
  assert.deepEqual([hit?.label, hit?.matched], ["from the project's AGENTS.md", ['quolline']]);
  put(join(other, '.tidemark-ignore'), '');
  assert.deepEqual((await machine.call('read.search', { query: 'quolline', all: true })).sections, []);
});

test('nothing of these files is injected, and a brief does not repeat what the client loads', async (t) => {
  const { machine, put } = open(t);
  put(join(machine.project, 'CLAUDE.md'), '- Use **pnpm**, not npm.\n- The wombatine script ships\n');
  await machine.cli(['remember', 'Use pnpm, not npm', '--kind', 'preference']);
  await machine.cli(['remember', 'Small commits', '--kind', 'preference']);
  const start = async (agent?: string): Promise<string> => {
    const fields = { session_id: `s-${agent ?? 'claude'}`, source: 'startup' };
    return (await machine.hook('SessionStart', fields, agent ? { agent } : {})).stdout;
  };
  const ofClaude = await start();
  assert.match(ofClaude, /Small commits/);
  assert.doesNotMatch(ofClaude, /Use pnpm, not npm|wombatine/);
  const ofCodex = await start('codex');
  assert.match(ofCodex, /Use pnpm, not npm/, 'Codex does not load CLAUDE.md');
  assert.doesNotMatch(ofCodex, /wombatine/);
  const prompt = { session_id: 's-claude', prompt: 'ship it with the wombatine script', prompt_id: 'p1' };
  assert.doesNotMatch((await machine.hook('UserPromptSubmit', prompt)).stdout, /wombatine/);
});

function open(t: TestContext) {
  const machine = Machine.open(t);
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  return { machine, put };
}

async function sections(machine: Machine, query: string): Promise<readonly SectionFound[]> {
  const ran = await machine.cli(['search', query, '--json']);
  return (JSON.parse(ran.stdout) as { sections: readonly SectionFound[] }).sections;
}
