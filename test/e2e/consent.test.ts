/** The question for consent at a real terminal, with the real client: Enter is no, and it is asked once. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Stage } from '../support/claude.ts';
import { claudeCode, TESTED_VERSIONS } from '../support/parts.ts';
import { atTerminal, flat, NO_TERMINAL, openInstallStage, tidemark } from '../support/install-stage.ts';

const QUESTION = 'May a language model write your memories?';
const PROMPT = '[y/N]';
for (const version of TESTED_VERSIONS) {
  const { path: claude, skip: missing } = claudeCode(version);
  const skip = missing ?? NO_TERMINAL;

  describe(`Claude Code ${version}`, () => {
    test('another word asks again, no is stored, and the next install does not ask', { skip }, async (t) => {
      const stage = await openInstallStage(t, claude);
      writeHistory(stage);
      const screen = await install(stage, ['maybe\r', 'no\r']);
      assert.ok(screen.includes(QUESTION), screen);
      const words = flat(screen);
      assert.match(
        words,
        /It finds more than the small model on this machine\. With a language model, each turn is redacted/,
      );
      assert.match(words, /At your pace \(2 turns a day over the last day\): about [\d,]+ tokens a day/);
      assert.match(words, /costs money/);
      assert.equal(words.split(PROMPT).length - 1, 2, 'asked twice');
      assert.match(
        words,
        /without a language model; to change it: tidemark config set distill\.consent true/,
      );
      assert.equal(consentOf(stage), false);
      const again = await install(stage, []);
      assert.ok(!again.includes(QUESTION), again);
      assert.match(flat(again), /without a language model \(your setting\)/);
    });

    test('Enter is no', { skip }, async (t) => {
      const stage = await openInstallStage(t, claude);
      await install(stage, ['\r']);
      assert.equal(consentOf(stage), false);
    });

    test('yes is stored, and without history the question says so', { skip }, async (t) => {
      const stage = await openInstallStage(t, claude);
      rmSync(join(stage.config, 'projects'), { recursive: true });
      const screen = await install(stage, ['yes\r']);
      assert.match(flat(screen), /There is no history yet to compute your cost from/);
      assert.equal(consentOf(stage), true);
    });

    test('an unattended install asks nothing, stays at no and says how to change it', { skip }, async (t) => {
      const stage = await openInstallStage(t, claude);
      const ran = await tidemark(stage, ['install', '--no-history']);
      assert.equal(ran.code, 0, ran.stderr);
      assert.ok(!ran.stderr.includes(QUESTION));
      assert.match(flat(ran.stderr), /→ \S*tidemark config set distill\.consent true/);
      const screen = await install(stage, [], ['--yes']);
      assert.ok(!screen.includes(QUESTION), screen);
      assert.equal(consentOf(stage), undefined);
      const doctor = await tidemark(stage, ['doctor', '--json']);
      assert.match(doctor.stdout, /no language model is used\. Without one, the small model on this machine/);
      assert.match(doctor.stdout, /tidemark config set distill\.consent true/);
    });
  });
}

/** Runs install at a terminal and types each answer when the question is shown. Returns the screen. */
function install(stage: Stage, answers: readonly string[], more: readonly string[] = []): Promise<string> {
  return atTerminal(stage, ['install', '--all', '--no-history', ...more], answers, PROMPT);
}

function consentOf(stage: Stage): unknown {
  try {
    const settings = JSON.parse(readFileSync(stage.places.config, 'utf8')) as Record<string, unknown>;
    return settings['distill.consent'];
  } catch {
    return undefined;
  }
}

/** A transcript of two turns of the last hour; nothing else. */
function writeHistory(stage: Stage): void {
  const folder = join(stage.config, 'projects');
  rmSync(folder, { recursive: true });
  mkdirSync(join(folder, 'app'), { recursive: true });
  const lines = [50, 10].flatMap((minutes, n) => {
    const timestamp = new Date(Date.now() - minutes * 60_000).toISOString();
    const common = { sessionId: 's', cwd: stage.project, timestamp, isSidechain: false, version: '2.1.325' };
    const message = { id: `a${n}`, role: 'assistant', model: 'm', stop_reason: 'end_turn' };
    return [
      {
        ...common,
        type: 'user',
        uuid: `u${n}`,
        parentUuid: null,
        message: {
          role: 'user',
          content: 'Use pg-boss for the job queue, because Redis is one more server.',
        },
      },
      {
        ...common,
        type: 'assistant',
        uuid: `a${n}`,
        parentUuid: `u${n}`,
        message: {
          ...message,
          content: [{ type: 'text', text: 'The queue in src/queue.ts uses pg-boss now.' }],
        },
      },
    ];
  });
  writeFileSync(join(folder, 'app', 's.jsonl'), `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
}
