/** Records what the user changed about a memory, so that the hub can show the old text next to the new one. */
import { given, type Memory } from '../core/index.ts';
import type { UserChange } from '../database/index.ts';
import { redactDeep } from '../privacy/index.ts';
import type { Stores } from './stores.ts';

/** Enough to recognise the old text; snapshots and git have the whole of it. */
const LONGEST_OLD_TEXT = 2000;

/** Compares a memory before and after the user's change. Undefined if neither text nor state differ. */
export function changeBetween(before: Memory, after: Memory, at: Date): UserChange | undefined {
  const change = { memory: after.id, at: at.toISOString() };
  if (before.state !== after.state) {
    const { state, supersededBy, resolvedBy } = after;
    const how = state === 'superseded' || state === 'resolved' ? state : 'reopened';
    return { ...change, how, ...given({ by: supersededBy ?? resolvedBy }) };
  }
  const texts = (one: Memory): readonly unknown[] => [one.title, one.body, one.reason, one.facts];
  if (JSON.stringify(texts(before)) === JSON.stringify(texts(after))) return undefined;
  const { title, body, reason } = before;
  const old = { title: cut(title), body: cut(body), ...given({ reason: reason && cut(reason) }) };
  return { ...change, how: 'edited', before: redactDeep(old).value };
}

export async function recordChanges(stores: Stores, changes: readonly UserChange[]): Promise<void> {
  if (changes.length === 0) return;
  await stores.ledger.append(changes.map((change) => ({ kind: 'changed' as const, ...change })));
  for (const change of changes) stores.index.putChange(change);
}

function cut(text: string): string {
  return text.length > LONGEST_OLD_TEXT ? `${text.slice(0, LONGEST_OLD_TEXT)}…` : text;
}
