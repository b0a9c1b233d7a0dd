/**
 * `npm run fuzz -- --minutes 20` or `--cases 1000000`: fuzzes every parser in this process, continues where the last run
 * stopped, and writes docs/fuzz-report.md. Exits with 1 when a property did not hold.
 */
import { parseArgs } from 'node:util';
import { campaign } from '../support/fuzz/campaign.ts';
import { TARGETS } from '../support/fuzz/targets.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    cases: { type: 'string' },
    only: { type: 'string' },
  },
});
const { only = '' } = values;
const limits = {
  cases: values.cases === undefined ? Infinity : Number(values.cases),
  until: values.cases === undefined ? Date.now() + Number(values.minutes) * 60_000 : Infinity,
};
const targets = TARGETS.filter(({ name }) => name.includes(only));
const { cases, findings } = await campaign(targets, limits, (text) => console.log(text));
console.log(`${cases.toLocaleString('en')} cases, ${findings.length} findings`);
process.exitCode = findings.length === 0 ? 0 : 1;
