/** A store that the disk damaged is repaired from intact copies, or `doctor` says what is lost and what to do. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { filesOf, indexFile, indexFolder } from '../support/damage.ts';
import { Machine } from '../support/machine.ts';
import { waitFor } from '../support/wait-for.ts';
import { answersOf } from './_answers.ts';
import { makeHistory, takeIn } from './_history.ts';

for (const index of ['kept', 'lost too']) {
  test(`a damaged file of memories is restored without a snapshot, the index ${index}`, async (t) => {
    const { machine, history, before } = await remembered(t);
    await machine.stopDaemon();
    const path = spoilMemories(machine);
    if (index !== 'kept') rmSync(indexFolder(machine), { recursive: true });
    await machine.drained();
    assert.deepEqual(memoryTexts(await answersOf(machine, history.projects)), memoryTexts(before));
    assert.equal(readFileSync(path, 'utf8').includes('\0'), false);
  });
}

test("a file of memories damaged while the daemon runs is restored from the snapshot, with the user's notes", async (t) => {
  const { machine, history, before } = await remembered(t);
  const [path = ''] = filesOf(machine, 'memories');
  writeFileSync(path, `${readFileSync(path, 'utf8')}\n## Notes\nmine\n`);
  await waitFor('the note to be taken in', () =>
    /journal changed/.test(readFileSync(machine.places.log, 'utf8')),
  );
  await machine.ask('backup');
  writeFileSync(path, Buffer.alloc(4096));
  await waitFor('the file to be whole', () => readFileSync(path, 'utf8').includes('mine'));
  await machine.drained();
  assert.deepEqual(memoryTexts(await answersOf(machine, history.projects)), memoryTexts(before));
});

test('memories and the index damaged at once while the daemon runs: nothing is lost, and calls are answered', async (t) => {
  const { machine, history, before } = await remembered(t);
  await beginAnew(machine);
  const path = spoilMemories(machine);
  writeFileSync(indexFile(machine), Buffer.alloc(100, 7));
  await waitFor(
    'the file to be whole',
    () => existsSync(path) && !readFileSync(path, 'utf8').includes('\0'),
    {
      explain: () => readFileSync(machine.places.log, 'utf8'),
    },
  );
  assert.deepEqual(memoryTexts(await answersOf(machine, history.projects)), memoryTexts(before));
});

test('a call that finds a damaged index is answered after the rebuild', async (t) => {
  const { machine, history, before } = await remembered(t);
  await beginAnew(machine);
  writeFileSync(indexFile(machine), Buffer.alloc(100, 7));
  const { code, stderr } = await machine.ask('stats');
  assert.equal(code, 0, stderr);
  assert.deepEqual(await answersOf(machine, history.projects), before);
});

test('damaged records are rebuilt from the snapshot and their readable lines', async (t) => {
  const { machine, history, before } = await remembered(t);
  await machine.ask('backup');
  await machine.stopDaemon();
  const [path = ''] = filesOf(machine, 'records');
  const lines = readFileSync(path, 'utf8').split('\n');
  const middle = Math.floor(lines.length / 2);
  writeFileSync(path, lines.map((line, at) => (at === middle ? '\0'.repeat(line.length) : line)).join('\n'));
  rmSync(indexFolder(machine), { recursive: true });
  await machine.drained();
  assert.deepEqual(await answersOf(machine, history.projects), before);
  assert.ok(lines.every((line) => readFileSync(path, 'utf8').includes(line)));
});

for (const damage of ['60 zeroed bytes', 'a missing file']) {
  test(`doctor names the turns that ${damage} cost, and what to do`, async (t) => {
    const { machine } = await remembered(t);
    const healthy = await machine.ask('doctor');
    assert.match(healthy.stdout, /turns .*all readable/);
    await machine.stopDaemon();
    const [path = ''] = filesOf(machine, 'conversations');
    const bytes = readFileSync(path);
    const from = 40;
    if (damage === 'a missing file') rmSync(path);
    else writeFileSync(path, bytes.fill(0, from, from + 60));
    const { checks } = await machine.json<{
      checks: { name: string; verdict: string; evidence: string; next?: string }[];
    }>('doctor');
    const check = checks.find(({ name }) => name === 'turns');
    assert.ok(check, JSON.stringify(checks));
    assert.equal(check.verdict, 'wrong', JSON.stringify(checks));
    assert.match(check.evidence, /the conversation of (?:1 turn|\d turns) is lost: [\w-]+ \(2026-03-0\d/);
    assert.match(check.next ?? '', /tidemark (?:backup list|restore)/);
  });
}

/** A daemon whose writer has opened the index, and of which nobody has asked anything yet. */
async function beginAnew(machine: Machine): Promise<void> {
  await machine.stopDaemon();
  await machine.drained();
}

/** Of entries made again the line in the file may be another; what is found, and in which order, is the same. */
function memoryTexts(answers: Awaited<ReturnType<typeof answersOf>>): unknown {
  return answers.searches;
}

function spoilMemories(machine: Machine): string {
  const [path = ''] = filesOf(machine, 'memories');
  writeFileSync(path, Buffer.concat([readFileSync(path).subarray(0, 200), Buffer.alloc(4096)]));
  return path;
}

async function remembered(t: TestContext) {
  const machine = Machine.open(t, { TIDEMARK_BACKUP_DAYS: '0' });
  const history = makeHistory(machine);
  await takeIn(machine, history);
  return { machine, history, before: await answersOf(machine, history.projects) };
}
