import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryOf } from '../../../test/support/team.ts';
import type { Change, WireEntry } from '../../exchange/sync/index.ts';
import { merge, type EntryState } from './_merge.ts';

const ADA = 'ada';
const at = (clock: number, machine = 'laptop') => ({ clock, machine });
const text = (clock: number, machine = 'laptop'): WireEntry =>
  entryOf('One entry', { body: `${clock} ${machine}`, version: at(clock, machine) });
const { id } = text(1);
const put = (clock: number, machine?: string): Change => ({ op: 'put', entry: text(clock, machine) });
const withdraw = (clock: number): Change => ({ op: 'withdraw', id, version: at(clock) });
const tombstone = (clock: number): Change => ({
  op: 'tombstone',
  id,
  turn: 't',
  hash: 'h',
  version: at(clock),
});

function after(changes: readonly Change[]): EntryState {
  return changes.reduce<EntryState>((state, change) => merge(state, change, ADA).next ?? state, {});
}

function orders<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length <= 1) return [items];
  return items.flatMap((item, i) => orders(items.toSpliced(i, 1)).map((rest) => [item, ...rest]));
}

test('every order of arrival gives the same state', () => {
  const sequences = [
    [put(1), put(2), put(2, 'desk'), put(3)],
    [put(1), withdraw(2), put(3), put(2, 'desk')],
    [put(1), put(4), withdraw(5)],
    [put(1), tombstone(1), put(9), withdraw(3)],
    [tombstone(2), tombstone(1), put(3)],
  ];
  for (const sequence of sequences)
    for (const order of orders(sequence))
      assert.deepEqual(after(order), after(sequence), JSON.stringify(order));
});

test('a tombstone beats every text, even a later one', () => {
  const state = after([put(1), tombstone(1)]);
  assert.equal(state.end?.op, 'tombstone');
  assert.equal(merge(state, put(99), ADA).result.outcome, 'forgotten');
});

test('a withdrawn entry can be shared again with the same version', () => {
  const state = after([put(4), { op: 'withdraw', id, version: at(4) }]);
  assert.equal(state.end?.op, 'withdraw');
  assert.equal(merge(state, put(4), ADA).result.outcome, 'stored');
});

test('a member cannot withdraw an entry of another member', () => {
  const { result, next } = merge(after([put(1)]), withdraw(7), 'ben');
  assert.equal(result.outcome, 'older');
  assert.equal(next, undefined);
});

test('rewording an entry keeps its original author and the replaced text', () => {
  const { next, lost } = merge(after([put(1)]), put(2), 'ben');
  assert.equal(next?.entry?.author, ADA);
  assert.equal(lost?.wire.body, '1 laptop');
});
