/**
 * `npm run fuzz -- --minutes 20` or `--cases 1000000`: fuzzes every parser in this process, continues where the last run
 * stopped, and writes docs/fuzz-report.md. Exits with 1 when a property did not hold.
 */
import { parseArgs } from 'node:util';
import { campaign } from '../support/fuzz/campaign.ts';
import { TARGETS } from '../support/fuzz/targets.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    cases: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
/** Without a limit of its own. */
const MINUTES = 20;
const { cases: most, minutes = most === undefined ? MINUTES : Infinity, only } = values;
const over = new AbortController();
// The state is saved and the report written before it ends.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => over.abort());
const targets = TARGETS.filter(({ name }) => name.includes(only));
const limits = {
  cases: Number(most ?? Infinity),
  until: Date.now() + Number(minutes) * 60_000,
  signal: over.signal,
};
const { cases, findings } = await campaign(targets, limits, (text) => console.log(text));
console.log(`${cases.toLocaleString('en')} cases, ${findings.length} findings`);
process.exitCode = findings.length === 0 ? 0 : 1;
