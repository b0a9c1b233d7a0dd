/** Every format of the planted-secret corpus, in its own texts and in random ones, is gone after redaction. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plantedSecrets, seeded, type PlantedSecret } from '../../test/corpus/secrets.ts';
import { redactDeep } from './redact-deep.ts';
import { redact } from './redact.ts';

const SEEDS = process.env['TIDEMARK_TEST_LONG'] === '1' ? 200 : 8;
const MIN_FORMATS = 60;

const WRAPPERS: readonly ((secret: string) => string)[] = [
  (s) => `const client = connect("${s}");`,
  (s) => `fetch(url, { method: 'POST', value: '${s}' })`,
  (s) => `// was: ${s}`,
  (s) => JSON.stringify({ a: 1, value: s, b: [s] }),
  (s) => JSON.stringify({ out: JSON.stringify({ value: s }) }),
  (s) => JSON.stringify(JSON.stringify(JSON.stringify([s]))),
  (s) => `export FOO=${s}\nexport BAR=1`,
  (s) => `curl -H "X-Thing: ${s}" https://x.test`,
  (s) => `echo ${s} | tee out.txt && ls`,
  (s) => `| name | ${s} | ok |`,
  (s) => `> quoted\n> ${s}\n`,
  (s) => `**${s}** and (\`${s}\`)`,
  (s) => `stdout:\\n${s}\\nexit 0`,
  (s) => `https://x.test/cb?a=1&b=${s}&c=2`,
  (s) => (encodeURIComponent(s) === s ? encodeURIComponent(`{"v":"${s}"}`) : s),
  (s) => `<value>${s}</value>`,
  (s) => `12:01:33 ERROR request failed (${s}), retrying`,
  (s) => `\u0000\ud800${s}\udfff`,
];

const FILLERS = [
  'The build passes now; next is the cache key.',
  'if (a < b && c) { return { password: undefined }; }',
  'commit 3f786850e387550fdab836ed7e6dc881de23001b',
  '"integrity": "sha512-Zk9v+Q==",',
  'id 123e4567-e89b-12d3-a456-426614174000',
  '',
];

test(`the corpus has at least ${MIN_FORMATS} formats`, () => {
  assert.ok(new Set(plantedSecrets(1).map((planted) => planted.type)).size >= MIN_FORMATS);
});

test('the same seed gives the same secrets, another seed others', () => {
  assert.deepEqual(plantedSecrets(7), plantedSecrets(7));
  assert.notDeepEqual(plantedSecrets(7), plantedSecrets(8));
});

test('a planted secret is gone from the texts it occurs in', () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    for (const planted of plantedSecrets(seed)) {
      for (const context of planted.contexts) assertGone(planted, context);
    }
  }
});

test('a secret with a shape of its own is gone from any text', () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = seeded(seed);
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
    for (const planted of plantedSecrets(seed).filter((one) => one.bare)) {
      const wrapped = pick(WRAPPERS)(planted.secret);
      assertGone(planted, `${pick(FILLERS)}\n${wrapped}\n${pick(FILLERS)}`);
    }
  }
});

test('all planted secrets in one text are gone together', () => {
  const planted = plantedSecrets(3).filter(
    (one) => !one.contexts.some((context) => /private *>/i.test(context)),
  );
  const text = planted.flatMap((one) => one.contexts).join('\n\n');
  const { text: clean } = redact(text);
  for (const one of planted) for (const needle of one.needles) assert.ok(!clean.includes(needle), one.type);
});

test('planted secrets are gone from a JSON value', () => {
  const planted = plantedSecrets(5);
  const { value } = redactDeep({ tool: { output: planted.map((one) => one.contexts) } });
  const clean = JSON.stringify(value);
  for (const one of planted) for (const needle of one.needles) assert.ok(!clean.includes(needle), one.type);
});

function assertGone(planted: PlantedSecret, context: string): void {
  const { text, counts } = redact(context);
  for (const needle of planted.needles) {
    assert.ok(!text.includes(needle), `${planted.type} survives in: ${context.slice(0, 300)}`);
  }
  assert.ok(Object.keys(counts).length > 0);
  assert.equal(redact(text).text, text, `${planted.type}: redacting twice changes: ${text.slice(0, 300)}`);
}
