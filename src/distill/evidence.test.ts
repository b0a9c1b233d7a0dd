import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, sampleTurn } from '../../test/support/sample-turn.ts';
import type { Evidence, MemoryKind, StoredTurn } from '../core/index.ts';
import { evidenceFor } from './evidence.ts';

type Case = readonly [Evidence, string, Partial<StoredTurn>, MemoryKind?];

const RECAP = 'A repeat with the same date returns the existing ref.';
const README = 'Always run `make fmt` before you push.';
const TEST_RUN = call({ name: 'Bash', command: 'npm test', output: 'Tests  31 passed (31)' });

const CASES: readonly Case[] = [
  ['said', "I don't want floats for money anywhere", { prompt: "I don't want floats for money, anywhere!" }],
  ['said', 'yeah, let’s go with pg-boss then', { prompt: 'yeah lets go with pg-boss then', answer: 'ok' }],
  ['said', 'B', { prompt: 'B', answer: 'Then B it is.' }],
  ['said', 'B', { prompt: 'ok, B please', answer: 'Then B it is.' }],
  ['claimed', 'x', { prompt: 'the csv export is slow, find out why', answer: 'It has no index.' }],
  ['claimed', 'a', { prompt: 'have a look at the backups of last Sunday', answer: 'I did.' }],
  ['claimed', 'port', { prompt: 'the csv export is slow, find out why', answer: 'It has no index.' }],
  ['said', 'no redis … another box', { prompt: 'and no redis, ops wont give us another box to run' }],
  ['said', 'csv 不行', { prompt: 'csv 不行，仓库的人用 excel 打开会乱码。' }],
  ['quoted', README, { prompt: `what does this mean?\n> ${README}` }],
  ['quoted', README, { prompt: `the README says: ${README}` }],
  ['quoted', README, { prompt: `"${README}" is what their page tells you` }],
  ['quoted', README, { prompt: `from the log:\n\`\`\`\n${README}\n\`\`\`` }],
  ['quoted', README, { answer: `The contributing guide states: ${README}` }],
  ['quoted', README, { tools: [call({ name: 'Read', target: 'README.md', output: README })] }],
  ['quoted', README, { tools: [call({ name: 'WebFetch', output: README })] }],
  [
    'quoted',
    README,
    { tools: [call({ name: 'Bash', command: 'cat README.md', output: README })] },
    'preference',
  ],
  [
    'shown',
    README,
    { tools: [call({ name: 'Bash', command: 'cat README.md', output: README })] },
    'discovery',
  ],
  [
    'quoted',
    README,
    { tools: [call({ name: 'Bash', command: 'cd docs && git show HEAD', output: README })] },
  ],
  [
    'quoted',
    README,
    { tools: [call({ name: 'Bash', command: 'npm ls; curl -s https://x.y', output: README })] },
  ],
  ['shown', '31 passed', { tools: [TEST_RUN] }],
  [
    'shown',
    'bad count',
    { tools: [call({ name: 'Bash', command: 'npm run category', output: 'bad count 3' })] },
  ],
  ['said', 'accept.', { prompt: 'both fine, accept.' }],
  ['claimed', 'the', { prompt: 'please look at the README' }],
  ['claimed', 'look', { prompt: 'please look at the README' }],
  ['claimed', 'a look', { prompt: 'take data lookups out of the loop' }],
  [
    'claimed',
    'The cause is a tie in created_at',
    { answer: 'Found it. The cause is a tie in `created_at`.' },
  ],
  ['shown', 'Fix: sort by id', { answer: 'Fix: sort by `id`.', tools: [TEST_RUN] }, 'bugfix'],
  ['claimed', 'We should use Kafka', { answer: 'We should use Kafka.', tools: [TEST_RUN] }, 'decision'],
  ['claimed', RECAP, { answer: `Final wording:\n\n> ${RECAP}` }, 'decision'],
  ['said', RECAP, { prompt: `I can defend that. The record then reads: ${RECAP}` }, 'decision'],
  ['quoted', README, { prompt: `Anna wrote: ${README}` }],
  ['claimed', 'never said by anyone', { prompt: 'hello', answer: 'hi' }],
  ['claimed', '', { prompt: 'hello', answer: 'hi' }],
  ['claimed', 'use tabs', { origin: 'subagent', prompt: 'use tabs', answer: '' }],
];

test('evidence is what the turn shows, whatever a note or a reply claims', () => {
  for (const [expected, quote, parts, kind] of CASES) {
    const found = evidenceFor(sampleTurn(parts), quote, kind);
    assert.equal(found, expected, `${quote} in ${JSON.stringify(parts)}`);
  }
});
