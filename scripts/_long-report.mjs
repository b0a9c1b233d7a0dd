/** Writes docs/test-long-report.md, the committed record of the last `npm run test:long`. Names no machine. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** @param {string} countsFile lines that tests added with test/support/long-report.ts */
export function writeLongReport(root, results, ms, total, countsFile) {
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
    'Written by `npm run test:long`: every suite with full counts. The time of a suite is the sum over its',
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
    ...countTable(readCounts(countsFile)),
    ...(failures.length > 0 ? ['', '## Failed', '', ...failures] : []),
    ...(reasons.length > 0 ? ['', '## Skipped', '', ...reasons] : []),
    '',
  ];
  fs.writeFileSync(path.join(root, 'docs', 'test-long-report.md'), text.join('\n'));
}

/**
 * Rows of the same subject and part are added up, because several tests may count the same.
 * @param {{subject: string, part: string, count: number, good?: number}[]} rows
 * @returns {string[]} lines of Markdown
 */
export function countTable(rows) {
  if (rows.length === 0) return [];
  const sums = new Map();
  for (const row of rows) {
    const key = `${row.subject} | ${row.part}`;
    const { count, good } = sums.get(key) ?? { count: 0, good: undefined };
    sums.set(key, { count: count + row.count, good: row.good === undefined ? good : (good ?? 0) + row.good });
  }
  const lines = [...sums].map(([key, { count, good }]) => {
    const rate =
      good === undefined ? '' : `${good.toLocaleString('en')} (${((100 * good) / count).toFixed(1)} %)`;
    return `| ${key} | ${count.toLocaleString('en')} | ${rate} |`;
  });
  return ['', '## Counts', '', '| subject | part | count | good |', '|---|---|---:|---:|', ...lines];
}

function readCounts(file) {
  if (!file || !fs.existsSync(file)) return [];
  return fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
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
