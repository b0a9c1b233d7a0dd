/** The planted secrets are many, differ between the halves and repeat exactly; redaction catches at least the known share. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { harmless, planted } from './_secrets-plant.ts';
import { falseAlarms, ratesOf, survives, type Rate } from './_secrets-score.ts';
import { issuers } from './_secrets-values.ts';

/** Shares that redaction reaches at least. */
const FLOORS = { overall: 0.98, issuers: 0.99, group: 0.95 };
/** The share of harmless texts that may change. */
const MOST_ALARMS = 0.005;

const all = planted();

test('there are enough secrets, classes, issuers and harmless texts', () => {
  assert.ok(all.length >= 600);
  assert.ok(new Set(all.map((one) => one.class)).size >= 40);
  assert.ok(issuers().length >= 120);
  assert.ok(harmless().length >= 400);
});

test('every secret is in its text and differs from every other', () => {
  for (const { class: name, text, needles } of all) {
    assert.ok(needles.length > 0, name);
    for (const needle of needles) {
      const escaped = JSON.stringify(needle).slice(1, -1);
      assert.ok(text.includes(needle) || text.includes(escaped), `${name}: ${text}`);
    }
  }
  assert.equal(new Set(all.map(({ secret }) => secret)).size, all.length);
});

test('each half has hundreds of secrets, and the same call gives the same ones', () => {
  for (const half of ['dev', 'held']) assert.ok(all.filter((one) => one.half === half).length >= 600);
  assert.deepEqual(planted(), all);
});

test('redaction catches at least the known share of every group', () => {
  const { overall, issuers: formats, groups } = ratesOf(all, survives);
  const isAtLeast = (name: string, { caught, planted: of }: Rate, floor: number): void =>
    assert.ok(caught / of >= floor, `${name}: ${caught} of ${of}`);
  isAtLeast('overall', overall, FLOORS.overall);
  isAtLeast('issuer formats', formats, FLOORS.issuers);
  for (const [name, rate] of groups) isAtLeast(name, rate, FLOORS.group);
});

test('redaction leaves harmless texts as they are', () => {
  const texts = harmless();
  const alarms = falseAlarms(texts);
  assert.ok(alarms.length / texts.length <= MOST_ALARMS, JSON.stringify(alarms, null, 1));
});
