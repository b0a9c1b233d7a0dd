/** Fuzz targets: ledger lines, settings, search questions and files of the turn store. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkSettings, DEFAULT_CONFIG, loadConfig, SETTING_KEYS } from '../../../src/config/index.ts';
import { SUMMARY_FIELDS } from '../../../src/core/index.ts';
import { parseQuery, zoneDays } from '../../../src/recall/index.ts';
import { parseRecord, recordKey } from '../../../src/storage/ledger/record.ts';
import { encodeMember, TurnFile } from '../../../src/storage/turns/turn-file.ts';
import { sampleTurn } from '../sample-turn.ts';
import type { Target } from './engine.ts';
import { mutated, mutatedJson, scramble } from './mutate.ts';
import { bytesOf } from './intake.ts';
import { scratch } from './scratch.ts';

const AT = '2026-11-15T10:00:00.000Z';
const MEMORY = {
  id: '1ja0p3h7k2m9qx',
  kind: 'decision',
  title: 't',
  body: 'b',
  facts: ['f'],
  concepts: [],
  files: [],
  state: 'current',
  project: 'p',
  at: AT,
  provenance: { agent: 'claude-code', session: 's', turn: 't', messages: ['m'], by: 'local' },
};
const SUMMARY = Object.fromEntries(SUMMARY_FIELDS.map((field) => [field, 'x']));
const RECORDS: readonly Record<string, unknown>[] = [
  {
    kind: 'session',
    at: AT,
    session: 's',
    change: 'started',
    project: 'p',
    agent: 'claude-code',
    title: 'x',
  },
  { kind: 'project', at: AT, project: { id: 'p', name: 'n', keys: ['k'], paths: ['/p'] } },
  { kind: 'distilled', at: AT, turn: 't', by: 'local', memories: ['1ja0p3h7k2m9qx'] },
  { kind: 'passed', at: AT, turn: 't', reason: 'r' },
  { kind: 'summary', at: AT, session: 's', by: 'claude-mem', summary: SUMMARY },
  { kind: 'dropped', at: AT, turns: 1, bytes: 2, from: AT, to: AT },
  { kind: 'waiting', at: AT, memory: MEMORY },
  { kind: 'merged', at: AT, memory: MEMORY, into: '1ja0p3h7k2m9qy', by: 'words' },
  { kind: 'review', at: AT, memory: '1ja0p3h7k2m9qx', verdict: 'keep' },
  { kind: 'redacted', at: AT, counts: { jwt: 2 } },
  { kind: 'sharing', at: AT, memory: '1ja0p3h7k2m9qx', state: 'held' },
  { kind: 'tombstone', at: AT, memory: '1ja0p3h7k2m9qx', turn: 't', hash: 'h', state: 'hidden' },
];
const LINES = RECORDS.map((record) => JSON.stringify(record));

/** A line of the ledger is a record, unknown or damaged. A record is read again from what is written of it. */
export const ledgerLine: Target = {
  name: 'ledger line',
  weight: 6,
  make: (random) => {
    const at = random.below(RECORDS.length);
    return random.below(3) === 0
      ? mutated(random, LINES[at] ?? '', LINES)
      : mutatedJson(random, RECORDS[at], (own) => scramble(own, 6));
  },
  check: (input) => {
    const parsed = parseRecord(input);
    if (parsed.kind !== 'record') return;
    assert.equal(typeof recordKey(parsed.record), 'string');
    const written = JSON.stringify(parsed.record);
    const again = parseRecord(written);
    assert.ok(again.kind === 'record');
    assert.equal(JSON.stringify(again.record), written);
    assert.equal(({} as Record<string, unknown>)['x'], undefined, 'no prototype is changed');
  },
};

const SETTINGS_TEXT = JSON.stringify(DEFAULT_CONFIG, undefined, 2);
/** The most problems that a file can have: one for each setting, and the first unknown keys. */
const MOST_PROBLEMS = SETTING_KEYS.length + 21;

/** A settings file with any content gives settings of the right types, and a short list of problems. */
export const settings: Target = {
  name: 'settings file',
  weight: 4,
  make: (random) =>
    random.below(2) === 0
      ? mutatedJson(random, DEFAULT_CONFIG, (own) => scramble(own, 6))
      : mutated(random, SETTINGS_TEXT.slice(0, 1500)),
  check: (input, random) => {
    const problems = checkSettings(input, 'config.json');
    assert.ok(problems.length <= MOST_PROBLEMS, `${problems.length} problems`);
    for (const { line } of problems) if (line !== undefined) assert.ok(line >= 1);
    if (random.below(20) > 0) return;
    const file = join(scratch(), 'config.json');
    writeFileSync(file, input);
    const { values } = loadConfig({ places: { config: file }, env: {}, projectDir: scratch() });
    for (const key of SETTING_KEYS)
      assert.equal(Array.isArray(values[key]), Array.isArray(DEFAULT_CONFIG[key]), key);
  },
};

const QUESTIONS: readonly [string, ...string[]] = [
  'kind:decision tokens since:3d',
  'project:"shop" file:src/a.ts until:2026-11-01 what did we decide last week?',
  'session:abc since:2026-02 Kassenzettel vom 3. November',
  'what happened between 2026-10-01 and 2026-10-05 in src/auth.ts',
];

/** A search question never throws, and its times are times. */
export const question: Target = {
  name: 'search question',
  weight: 10,
  make: (random) => mutated(random, random.pick(QUESTIONS), QUESTIONS).slice(0, 2000),
  check: (input) => {
    const query = parseQuery(input, new Date(AT), zoneDays('Europe/Vienna'));
    for (const time of [query.since, query.until])
      if (time !== undefined) assert.ok(!Number.isNaN(Date.parse(time)), time);
  },
};

const MEMBERS = await Promise.all(
  [1, 2, 3].map((n) => encodeMember(sampleTurn({ id: `turn-${n}`, prompt: `prompt ${n} `.repeat(n * 9) }))),
);
const TURNS = Buffer.concat(MEMBERS);

/** A damaged turn file gives its intact turns, reports the rest, and never a changed turn. */
export const turnFile: Target = {
  name: 'turn file',
  weight: 0.3,
  make: (random) => bytesOf(mutated(random, TURNS.toString('latin1')), random).toString('latin1'),
  check: async (input) => {
    const path = join(scratch(), 'turns.jsonl.gz');
    const bytes = Buffer.from(input, 'latin1');
    writeFileSync(path, bytes);
    const file = await TurnFile.open(path);
    assert.ok(file);
    try {
      let covered = 0;
      for await (const member of file.members(({ length }) => (covered += length))) {
        covered += member.length;
        const turn = await file.turn(member);
        if (turn) assert.match(turn.id, /^turn-[123]$/);
        else continue;
      }
      assert.equal(covered, bytes.length, 'every byte is a member or damage');
      for (const [n, member] of MEMBERS.entries()) {
        const at = bytes.indexOf(member);
        if (at < 0) continue;
        assert.equal((await file.turn({ offset: at, length: member.length }))?.id, `turn-${n + 1}`);
      }
    } finally {
      await file.close();
    }
  },
};
