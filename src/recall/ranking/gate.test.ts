import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { NOW, PROJECT, fixtureIndex, idOf } from '../../../test/support/recall-fixture.ts';
import { RULES_MAKER, type Memory } from '../../core/index.ts';
import { search, type Hit } from '../search.ts';
import { gated } from './gate.ts';

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
const spokenOf = (...files: readonly string[]) => ({ memory: { ...rotate.memory, files } });

test('what the prompt says of a title counts by how well the words answer as a whole', () => {
  const worded = (score: number) => ({ worded: { ...rotate.worded, score } });
  assert.ok(evidence(PROMPT, worded(0.2)) < evidence(PROMPT, worded(0.6)));
  assert.ok(evidence('let the cache hold two', {}) < evidence(PROMPT, {}));
});

test('what the prompt says of the concepts counts too, and less than the title', () => {
  const concepts = ['stolen login', 'kicked out on every device'];
  const prompt = 'users get kicked out on every device after a stolen refresh login';
  const told = (change: Partial<Memory>) => evidence(prompt, { memory: { ...rotate.memory, ...change } });
  const titled = { title: `${rotate.memory.title}: ${concepts.join(', ')}` };
  assert.ok(told({ concepts: [] }) < told({ concepts }) && told({ concepts }) < told(titled));
});

test('a prompt that says more is more likely to want something', () => {
  const long = `${PROMPT} It was reported by two customers this morning, and I want to get it right this time.`;
  assert.ok(evidence(PROMPT, {}) < evidence(long, {}));
});

test('what rules made is weighed by weights of its own', () => {
  const by = (maker: string) => {
    const { memory } = rotate;
    return evidence(PROMPT, { memory: { ...memory, provenance: { ...memory.provenance, by: maker } } });
  };
  assert.notEqual(by(RULES_MAKER), by('claude'));
  assert.equal(by('person'), by('claude'));
});

test('a name of the memory that the prompt names speaks for it, in the title most', () => {
  const prompt = 'rename verifySignature in the refresh code';
  const titled = (title: string, body: string) =>
    evidence(prompt, { covered: ['refresh'], memory: { ...rotate.memory, title, body } });
  assert.ok(
    titled('Sessions end after a month', '') < titled('Sessions end after a month', 'In verifySignature.'),
  );
  assert.ok(
    titled('Sessions end after a month', 'In verifySignature.') <
      titled('verifySignature ends after a month', ''),
  );
});

test('of an identifier in a title the prompt says no more than the part it names', () => {
  const titled = (title: string) => evidence(PROMPT, { memory: { ...rotate.memory, title } });
  assert.ok(titled('Check before tokenCacheFileName') < titled('Check before token'));
});

test('what the prompt says of another entry of the session speaks for a memory, the same words again do not', () => {
  const beside = (title: string, session: string) => {
    const { memory } = rotate;
    const other = { ...memory, id: 'other', title, provenance: { ...memory.provenance, session } };
    return evidence(PROMPT, {}, [{ ...rotate, memory: other }]);
  };
  const { session } = rotate.memory.provenance;
  const alone = evidence(PROMPT, {});
  assert.ok(beside('Theft ends all sessions of the service', session) > alone);
  assert.equal(beside('Theft ends all sessions of the service', 'another'), alone);
  assert.equal(beside('Refresh tokens', session), alone);
});

test('a file that is named speaks for what few memories speak of', () => {
  const prompt = 'let src/auth/keep.ts hold two';
  const [one, ...more] = others.map((hit) => ({
    ...hit,
    memory: { ...hit.memory, files: ['src/auth/keep.ts'] },
  }));
  assert.ok(one);
  const none = evidence(prompt, spokenOf('src/auth/other.ts'));
  const alone = evidence(prompt, spokenOf('src/auth/keep.ts'));
  const shared = evidence(prompt, spokenOf('src/auth/keep.ts'), [one, ...more]);
  assert.ok(none < shared && shared < alone);
});

test('nearer in meaning than the others speaks for a memory, less near against it', () => {
  const crowd = others.map((hit) => ({ ...hit, cosine: 0.3 }));
  const at = (cosine: number) => evidence(PROMPT, { cosine }, crowd);
  assert.ok(at(0.1) < at(0.3) && at(0.3) < at(0.6));
});

test('meaning alone, without a telling word in common, lifts nothing', () => {
  const crowd = others.map((hit) => ({ ...hit, cosine: 0.1 }));
  const at = (cosine: number) => evidence(PROMPT, { cosine, covered: [] }, crowd);
  assert.equal(at(0.9), at(0.2));
});

test('a prompt that wants nothing of the past lowers every memory, named or not', () => {
  const [asked, aside] = ['why does refresh token theft end a session', 'what does refresh token theft mean'];
  assert.ok(evidence(aside, {}) < evidence(asked, {}));
  assert.ok(evidence(aside, { covered: [] }) < evidence(asked, { covered: [] }));
  const { parts = [] } = gated(index, aside, [rotate])[0] ?? {};
  assert.ok(parts.some(({ name }) => name === 'wants nothing past'));
});

test('the parts tell how the evidence came about', () => {
  const [hit] = gated(index, PROMPT, hits);
  const names = hit?.parts.map(({ name }) => name) ?? [];
  const signs = hit?.parts.slice(names.indexOf('at the outset')) ?? [];
  assert.deepEqual(
    signs.map(({ name }) => name),
    ['at the outset', 'title said', 'what holds', 'said at length'],
  );
  const product = signs.reduce((score, { factor }) => score * factor, 1);
  assert.ok(Math.abs(product - (hit?.evidence ?? 0)) < 0.02);
});
