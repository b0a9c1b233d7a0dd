/** The reference store: recorded notes stored as written, their ends obeyed. The line that the product has to reach. Pure. */
import { hasId, likest, notesIn, type Reference } from './_notes.ts';
import type { Recording } from './_projects.ts';
import type { Entry } from './_score.ts';

type Stored = { -readonly [K in keyof Entry]: Entry[K] };

const FIRST_SENTENCE = /^.*?[.!?。！？](?=\s|$|[\p{Lo}])/su;

export function referenceStore({ written, entries: known }: Recording): readonly Entry[] {
  const stored: Stored[] = [];
  for (const [turnKey, answer] of Object.entries(written))
    for (const { kind, verb, targets, text, quote } of notesIn(answer)) {
      const named = targets.flatMap((target) => find(target, stored, known) ?? []);
      if (verb === 'keeps') continue;
      if (verb === 'adds to') {
        for (const entry of named) entry.body = [entry.body, text].filter(Boolean).join(' ');
        continue;
      }
      const id = `${turnKey}-${stored.length}`;
      const isEntry = kind !== undefined && kind !== 'state';
      for (const entry of named) {
        entry.state = kind !== undefined && entry.kind !== 'issue' ? 'superseded' : 'resolved';
        if (isEntry) entry.supersededBy = id;
      }
      if (!isEntry) continue;
      const title = FIRST_SENTENCE.exec(text)?.[0] ?? text;
      const body = text.slice(title.length).trim();
      const state = kind === 'issue' ? 'open' : 'current';
      stored.push({ id, kind, title, body, reason: quote, state, turnKey, alsoKeys: [], by: 'agent' });
    }
  return stored;
}

function find({ words, id = '' }: Reference, stored: readonly Stored[], known: Recording['entries']) {
  if (words === undefined) {
    const old = known.find((entry) => hasId(entry, id));
    return old && likest(old, stored);
  }
  const start = words.toLowerCase().replace(/…$/, '');
  const textOf = ({ title, body }: Stored): string => `${title} ${body}`.toLowerCase();
  return (
    stored.findLast((entry) => textOf(entry).startsWith(start)) ??
    stored.findLast((entry) => textOf(entry).includes(start))
  );
}
