import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { DEFAULT_CONFIG } from '../config/index.ts';
import { FIRST_AGENT } from '../core/index.ts';
import { transcriptPace } from './pace.ts';

const NOW = new Date('2026-11-16T12:00:00.000Z');
const OPTIONS = { model: 'haiku', config: DEFAULT_CONFIG, now: NOW };

test('the pace of transcripts counts the turns of the last four weeks and what they would cost', async (t) => {
  const files = [
    transcript(t, 'a', ['2026-11-15T10:00:00Z', '2026-11-14T10:00:00Z']),
    transcript(t, 'b', ['2026-11-13T10:00:00Z', '2026-10-01T10:00:00Z']),
  ];
  const pace = await transcriptPace(files, OPTIONS);
  assert.ok(pace);
  assert.equal(pace.from, 'transcripts');
  assert.equal(pace.days, 4, 'from the first turn in the window until now');
  assert.equal(pace.turnsPerDay, 3 / 4);
  assert.ok(pace.tokensPerDay > 500, String(pace.tokensPerDay));
  assert.ok(pace.usdPerDay > 0);
});

test('without a turn in the last four weeks there is no pace', async (t) => {
  assert.equal(await transcriptPace([], OPTIONS), undefined);
  assert.equal(await transcriptPace([transcript(t, 'old', ['2026-09-01T10:00:00Z'])], OPTIONS), undefined);
});

test('an unreadable transcript does not stop the count', async (t) => {
  const missing = { agent: FIRST_AGENT, path: '/nonexistent/x.jsonl', bytes: 10, modifiedAt: NOW };
  const pace = await transcriptPace([missing, transcript(t, 'a', ['2026-11-15T10:00:00Z'])], OPTIONS);
  assert.equal(pace?.turnsPerDay, 1 / 2);
});

function transcript(t: TestContext, session: string, times: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'pace-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, `${session}.jsonl`);
  const lines = times.flatMap((at, n) => {
    const common = {
      sessionId: session,
      cwd: '/home/ada/app',
      timestamp: at,
      isSidechain: false,
      version: '2.1.325',
    };
    const [user, assistant] = [`${session}-u${n}`, `${session}-a${n}`];
    return [
      {
        ...common,
        type: 'user',
        uuid: user,
        parentUuid: null,
        message: {
          role: 'user',
          content: 'Rotate refresh tokens on every use, because theft must be noticed.',
        },
      },
      {
        ...common,
        type: 'assistant',
        uuid: assistant,
        parentUuid: user,
        message: {
          id: assistant,
          role: 'assistant',
          model: 'm',
          stop_reason: 'end_turn',
          content: [{ type: 'text', text: 'Done in src/auth.ts: refresh tokens rotate on every use now.' }],
        },
      },
    ];
  });
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join('\n') + '\n');
  return { agent: FIRST_AGENT, path, bytes: 1000, modifiedAt: NOW };
}
