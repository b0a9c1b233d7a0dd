/** Every parser keeps its properties for changed inputs: a fixed set of cases here, the next ones in the long run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { campaign, storedFindings } from '../support/fuzz/campaign.ts';
import { replay, runCases } from '../support/fuzz/engine.ts';
import { TARGETS } from '../support/fuzz/targets.ts';
import { reportLong } from '../support/long-report.ts';
import { IS_LONG_RUN } from '../support/parts.ts';

/** Cases of a target with weight 1. Cheap targets have more weight. */
const SHORT_CASES = 150;
const MOST_SHORT_CASES = 2500;
const LONG_CASES = 1_000_000;

for (const target of TARGETS) {
  test(`fuzzed: ${target.name}`, async () => {
    const cases = Math.min(MOST_SHORT_CASES, Math.round(SHORT_CASES + SHORT_CASES * target.weight));
    assert.deepEqual(await runCases(target, 1, cases), []);
  });
}

for (const finding of storedFindings()) {
  test(`a finding that was fixed stays fixed: ${finding.file}`, async () => {
    const target = TARGETS.find(({ name }) => name === finding.target);
    assert.ok(target, `no target ${finding.target}`);
    assert.equal(await replay(target, finding), undefined);
  });
}

if (IS_LONG_RUN) {
  test('the next million cases keep their properties', async () => {
    const { cases, total, findings } = await campaign(TARGETS, { cases: LONG_CASES, until: Infinity });
    const subject = 'fuzz cases in process';
    reportLong({ subject, part: 'this run', count: cases }, { subject, part: 'all runs', count: total });
    assert.deepEqual(findings, []);
  });
}
