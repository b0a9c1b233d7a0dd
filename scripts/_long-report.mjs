/** Writes docs/test-long-report.md, the committed record of the last `npm run test:long`. Names no machine. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export function writeLongReport(root, results, ms, total) {
  const rows = results.map(
    (row) =>
      `| ${row.name} | ${row.files || ''} | ${row.passed} | ${row.failed} | ${row.skipped} | ${seconds(row.ms)} |`,
  );
  const reasons = results.flatMap((row) =>
    [...row.reasons].map(([reason, count]) => `- ${row.name}, ${count} skipped: ${reason}`),
  );
  const failures = results.flatMap((row) => row.failures.map((test) => `- ${row.name}: ${test}`));
  const text = [
    '# The last long test run',
    '',
    'Written by `npm run test:long`: every suite of `npm test` with full counts. The time of a suite is the sum over its',
    'files, which run side by side.',
    '',
    `- date: ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    `- commit: ${commitOf(root)}`,
    `- Node ${process.versions.node}, ${process.platform} ${process.arch}, ${os.availableParallelism()} cores`,
    `- ${seconds(ms)}: **${total}**`,
    '',
    '| suite | files | passed | failed | skipped | time |',
    '|---|---:|---:|---:|---:|---:|',
    ...rows,
    ...(failures.length > 0 ? ['', '## Failed', '', ...failures] : []),
    ...(reasons.length > 0 ? ['', '## Skipped', '', ...reasons] : []),
    '',
  ];
  fs.writeFileSync(path.join(root, 'docs', 'test-long-report.md'), text.join('\n'));
}

function commitOf(root) {
  try {
    const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
    const isChanged = git('status', '--porcelain') !== '';
    return git('rev-parse', '--short=12', 'HEAD') + (isChanged ? ' with uncommitted changes' : '');
  } catch {
    return 'none';
  }
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}
