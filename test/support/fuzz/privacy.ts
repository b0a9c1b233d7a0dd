/** Fuzz targets: the redactor and the functions that make text safe to show. */
import assert from 'node:assert/strict';
import { plainLine, plainText } from '../../../src/core/index.ts';
import { fence, neutral, redact, redactDeep } from '../../../src/privacy/index.ts';
import { plantedSecrets } from '../../corpus/secrets.ts';
import type { Random } from '../random.ts';
import type { Target } from './engine.ts';
import { mutated, mutatedJson, scramble } from './mutate.ts';

const PLANTED = plantedSecrets(20_261_116);
const CONTEXTS = PLANTED.flatMap(({ contexts }) => contexts).filter((text) => text.length < 1500);
/** Secrets with a shape of their own; the longest take most of the time and find no more. */
const BARE = PLANTED.filter(({ bare, secret }) => bare && secret.length < 250);
/** A placeholder is longer than the shortest secret that it may replace. */
const LONGEST_PLACEHOLDER = 48;
/** The placeholder of the planted secret in an input. A reader of a finding finds the place by it. */
const HERE = '\u2042';

/** Any text redacts to a text that redacts to itself and is not much longer. */
export const redactor: Target = {
  name: 'redactor',
  weight: 12,
  make: (random) => mutated(random, pickText(random), CONTEXTS),
  check: (input) => {
    const { text, counts } = redact(input);
    const found = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const most = input.length + found * LONGEST_PLACEHOLDER;
    assert.ok(text.length <= most, `${text.length} characters of ${input.length}`);
    assert.equal(found > 0, text !== input, 'counts and changes agree');
    assert.equal(redact(text).text, text, 'redacting again changes nothing');
  },
};

/** A secret with a shape of its own is gone, whatever is written around it. */
export const redactorPlanted: Target = {
  name: 'redactor, planted secret',
  weight: 10,
  // White space around the secret: a character that could be part of it makes it another word.
  make: (random) => {
    const [before, after] = [mutated(random, pickText(random)), mutated(random, pickText(random))];
    const [left, right] = [random.pick(SEPARATORS), random.pick(SEPARATORS)];
    return `${before}${left}${HERE}${right}${after}`;
  },
  check: (input, random) => {
    const { secret, needles, type } = BARE[random.below(BARE.length)] ?? PLANTED[0]!;
    const at = input.indexOf(HERE);
    if (at < 0) return;
    const isAlone = (char: string): boolean => char === '' || /[\s"'`]/.test(char);
    if (!isAlone(input.charAt(at - 1)) || !isAlone(input.charAt(at + 1))) return;
    const text = input.replaceAll(HERE, '');
    if (needles.some((needle) => text.includes(needle))) return; // a copy that is part of a longer word
    const planted = text.slice(0, at) + secret + text.slice(at);
    const { text: clean } = redact(planted);
    for (const needle of needles) assert.ok(!clean.includes(needle), `${type} is still there`);
  },
};

const SEPARATORS: readonly [string, ...string[]] = [' ', '\n', '\t', '"', "'", '`', '\r\n'];

/** A JSON value keeps its shape, contains no planted secret and redacts to itself. */
export const redactorDeep: Target = {
  name: 'redactor, values',
  weight: 1.5,
  make: (random) => {
    const { contexts, secret } = PLANTED[random.below(PLANTED.length)] ?? PLANTED[0]!;
    const text = contexts[random.below(contexts.length)] ?? secret;
    return mutatedJson(random, {
      tool_input: { command: text, env: { API_TOKEN: secret, list: [text, 1, null] } },
      output: text,
    });
  },
  check: (input) => {
    const value: unknown = JSON.parse(input);
    const { value: clean } = redactDeep(value);
    assert.equal(typeof clean, typeof value);
    assert.equal(Array.isArray(clean), Array.isArray(value));
    assert.deepEqual(redactDeep(clean).value, clean);
    assert.equal(({} as Record<string, unknown>)['x'], undefined, 'no prototype is changed');
  },
};

/** Text that is shown has no control characters and cannot leave its fence. */
export const shownText: Target = {
  name: 'shown text',
  weight: 12,
  make: (random) => mutated(random, `${pickText(random)}\n${scramble(random, 20)}`),
  check: (input) => {
    const plain = plainText(input);
    // oxlint-disable-next-line no-control-regex
    assert.doesNotMatch(plain, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    assert.equal(plainText(plain), plain, 'plain text stays as it is');
    assert.doesNotMatch(plainLine(input), /[\r\n\t]/);
    const fenced = fence(input);
    assert.equal(fenced.match(/<\/?tidemark-memory/g)?.length, 2, 'one fence');
    assert.equal(neutral(neutral(input)), neutral(input));
  },
};

const TALK: readonly [string, ...string[]] = [
  'The build passes now; next is the cache key.',
  'if (a < b && c) { return { password: undefined }; }',
  'commit 3f786850e387550fdab836ed7e6dc881de23001b',
  '"integrity": "sha512-Zk9v+Q==",',
  'id 123e4567-e89b-12d3-a456-426614174000',
  'export FOO=bar\nexport PASSWORD=changeme\n',
  '| name | value |\n|---|---|\n| user | ada |',
  'Authorization: see the docs\nCookie: none\n',
  '<private>not for you</private> and the rest',
  'kind: Secret\ndata:\n  name: aGVsbG8=\n',
  '',
];

function pickText(random: Random): string {
  if (random.below(3) === 0) return random.pick(TALK);
  return CONTEXTS[random.below(CONTEXTS.length)] ?? '';
}
