import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { NOW, PROJECT, fixtureIndex, idOf } from '../../../test/support/recall-fixture.ts';
import type { Memory } from '../../core/index.ts';
import { search, type Hit } from '../search.ts';
import { gated, signsOf } from './gate.ts';
import { readable } from './reading.ts';
import { FLOOR, GATE } from './weights.ts';

const index = fixtureIndex();
after(() => index.close());

const PROMPT = 'How should I handle refresh token theft in the auth service?';
const hits = search(index, PROMPT, { now: NOW, project: PROJECT, floor: 0 }).considered;
const rotate = hits.find(({ memory }) => memory.id === idOf('Refresh tokens rotate'));
assert.ok(rotate);
const others = hits.filter((hit) => hit !== rotate);

const evidence = (prompt: string, change: Partial<Hit>, beside: readonly Hit[] = []): number =>
  gated(index, prompt, [{ ...rotate, ...change }, ...beside]).find(
    ({ memory }) => memory.id === rotate.memory.id,
  )?.evidence ?? 0;

test('title words in the prompt count by how well all words match', () => {
  const worded = (score: number) => ({ worded: { ...rotate.worded, score } });
  assert.ok(evidence(PROMPT, worded(0.2)) < evidence(PROMPT, worded(0.6)));
  assert.ok(evidence('let the cache hold two', {}) < evidence(PROMPT, {}));
});

test('search phrases in the prompt count too, but less than the title', () => {
  const concepts = ['stolen login', 'kicked out on every device'];
  const prompt = 'users get kicked out on every device after a stolen refresh login';
  const withChange = (change: Partial<Memory>) =>
    evidence(prompt, { memory: { ...rotate.memory, ...change } });
  const titled = { title: `${rotate.memory.title}: ${concepts.join(', ')}` };
  assert.ok(
    withChange({ concepts: [] }) < withChange({ concepts }) && withChange({ concepts }) < withChange(titled),
  );
});

test('what was read counts, however far down the memory is among the hits', () => {
  const [other] = others;
  assert.ok(other);
  const better = Array.from({ length: 40 }, (_, i) => ({
    ...other,
    evidence: 1,
    memory: { ...other.memory, id: `better-${i}` },
  }));
  const at = (odds: number): number =>
    gated(index, PROMPT, [{ ...rotate, evidence: 0 }, ...better], new Map([[rotate.memory.id, odds]])).find(
      ({ memory }) => memory.id === rotate.memory.id,
    )?.evidence ?? 0;
  assert.ok(at(-4) < FLOOR.prompt && at(4) > FLOOR.prompt);
});

test('a longer prompt raises the evidence', () => {
  const long = `${PROMPT} It was reported by two customers this morning, and I want to get it right this time.`;
  assert.ok(evidence(PROMPT, {}) < evidence(long, {}));
});

test('a part of an identifier in a title counts less than the whole word', () => {
  const titled = (title: string) => evidence(PROMPT, { memory: { ...rotate.memory, title } });
  assert.ok(titled('Check before tokenCacheFileName') < titled('Check before token'));
});

test('a higher cosine than the others raises the evidence, a lower one lowers it', () => {
  const crowd = others.map((hit) => ({ ...hit, cosine: 0.3 }));
  const at = (cosine: number) => evidence(PROMPT, { cosine }, crowd);
  assert.ok(at(0.1) < at(0.3) && at(0.3) < at(0.6));
});

test('meaning alone, without a shared word, does not raise the evidence', () => {
  const crowd = others.map((hit) => ({ ...hit, cosine: 0.1 }));
  const at = (cosine: number) => evidence(PROMPT, { cosine, covered: [] }, crowd);
  assert.equal(at(0.9), at(0.2));
});

test('a general question lowers the evidence of every memory', () => {
  const [asked, aside] = ['why does refresh token theft end a session', 'what does refresh token theft mean'];
  assert.ok(evidence(aside, {}) < evidence(asked, {}));
  assert.ok(evidence(aside, { covered: [] }) < evidence(asked, { covered: [] }));
  const { parts = [] } = gated(index, aside, [rotate])[0] ?? {};
  assert.ok(parts.some(({ name }) => name === 'general request'));
});

test('a memory that the small model read with the prompt has what it said as a sign', () => {
  const signs = signsOf(index, PROMPT, hits, new Map([[rotate.memory.id, 2.5]]));
  assert.equal(signs.get(rotate)?.read, 2.5);
  for (const [hit, { read }] of signs) if (hit !== rotate) assert.equal(read, 0);
});

test('among many memories of the project nothing is read, and a memory needs more evidence', (t) => {
  const larger = fixtureIndex();
  t.after(() => larger.close());
  const more = Array.from({ length: GATE.size.many }, (_, i) => ({
    memory: { ...rotate.memory, id: `${rotate.memory.id}-${i}`, title: `Entry ${i}`, body: '' },
  }));
  larger.upsertMemories(more);
  const steps = (one: typeof index) =>
    gated(one, PROMPT, [rotate])[0]?.parts.filter(({ name }) => name === 'many memories') ?? [];
  assert.deepEqual(steps(index), []);
  assert.ok((steps(larger)[0]?.factor ?? 1) < 1);
  const near = [{ ...rotate, cosine: 0.9 }, ...others.map((hit) => ({ ...hit, cosine: 0.1 }))];
  assert.ok(readable(index, PROMPT, near).length > 0);
  assert.deepEqual(readable(larger, PROMPT, near), []);
  const read = new Map([[rotate.memory.id, 4]]);
  assert.equal(
    gated(larger, PROMPT, [rotate], read)[0]?.evidence,
    gated(larger, PROMPT, [rotate])[0]?.evidence,
  );
});

test('what the small model read of a long prompt counts less', () => {
  const gain = (prompt: string): number => {
    const evidence = (odds: number): number =>
      gated(index, prompt, [rotate], new Map([[rotate.memory.id, odds]]))[0]?.evidence ?? 0;
    const logOdds = (chance: number): number => Math.log(chance / (1 - chance));
    return logOdds(evidence(4)) - logOdds(evidence(0));
  };
  const long = gain(`${PROMPT} ${'and one more line of a log '.repeat(40)}`);
  assert.ok(long > 0);
  assert.ok(long < gain(PROMPT) / 2);
});

test('the parts multiply to the evidence', () => {
  const [hit] = gated(index, PROMPT, hits);
  const names = hit?.parts.map(({ name }) => name) ?? [];
  const signs = hit?.parts.slice(names.indexOf('base rate')) ?? [];
  assert.deepEqual(
    signs.map(({ name }) => name),
    ['base rate', 'title words', 'prompt length'],
  );
  const product = signs.reduce((score, { factor }) => score * factor, 1);
  assert.ok(Math.abs(product - (hit?.evidence ?? 0)) < 0.02);
});
