/** Seeded random memories with the strings that break formats. For tests only. */
import {
  MEMORY_KINDS,
  memoryId,
  SUMMARY_FIELDS,
  type Memory,
  type SessionSummary,
} from '../../src/core/index.ts';
import type { SessionHead } from '../../src/storage/journal/index.ts';

export type Random = () => number;

/** mulberry32: small, seeded, good enough to shuffle. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export function pick<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T; // the list is never empty
}

export function shuffled<T>(random: Random, list: readonly T[]): T[] {
  const copy = [...list];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [copy[i], copy[j]] = [copy[j] as T, copy[i] as T];
  }
  return copy;
}

const LINES = [
  'Refresh tokens rotate on every use.',
  '- a bullet',
  '* a star',
  '+ plus',
  '-',
  '- - -',
  '---',
  '1. one',
  '   - deeper',
  'Reason: not the reason',
  'reason: small',
  'Files: `a.ts`',
  'Concepts: x',
  'Files:',
  '# one',
  '## Session 10:00 · fake',
  '### 14:32 decision · fake',
  '###',
  '#### four',
  '####### seven',
  '#tag',
  ' ### indented',
  '<!-- tidemark 1ja0p3h7k2m9qx state=open -->',
  '<!-- tidemark session x -->',
  '<!-- tidemark end of text -->',
  '<!-- open',
  '-->',
  'a --> b',
  '--',
  '```',
  '```ts',
  '````',
  '~~~',
  '~~~~ sh',
  '  ```',
  '- ```js',
  '1. ~~~',
  '``` a`b',
  '\\```',
  '\\\\~~~',
  '    ```',
  '<<<<<<< HEAD',
  '=======',
  '>>>>>>> theirs',
  '||||||| base',
  '<<<<<<<',
  '\\=======',
  '\\### x',
  '\\\\## y',
  '\\<!-- z',
  '<script>alert(1)</script>',
  '<div>',
  '<pre>',
  '</details>',
  '<?php',
  '<![CDATA[',
  '  <!-- two in',
  '日本語のテキスト',
  '漢字，逗號、',
  '🙂🏳️‍🌈',
  'é\u0301',
  '\u2028line\u2029',
  '\u00a0',
  'tab\tin',
  '\tindented',
  '    four',
  '  two',
  '',
  '',
  '',
  '   ',
  'trailing  ',
  '\\',
  '&#35; &amp;',
  '*emph* _x_ `code`',
  '[x](y)',
  '> quote',
  '| a | b |',
  'a\r',
  '\u0007bell',
  '\ud800',
  '(superseded) · x',
  '12:30',
  '14:40 issue · t',
  'decision: foo',
  '· dot',
  '- ',
  'Request: x',
  '%2D %',
  '"quoted" \'single\'',
  '$& $1',
];

export function nastyText(random: Random, lines = 6): string {
  const count = Math.floor(random() * lines) + 1;
  const eol = random() < 0.1 ? '\r\n' : '\n';
  return Array.from({ length: count }, () => pick(random, LINES)).join(eol);
}

export function nastyMemory(random: Random, session: string, project = 'acme-api'): Memory {
  const at = new Date(
    Date.UTC(2026, 10, 15 + Math.floor(random() * 2), 0, 0, Math.floor(random() * 86_400)),
  ).toISOString();
  const kind = pick(random, MEMORY_KINDS);
  const list = (most: number, lines: number) =>
    Array.from({ length: Math.floor(random() * (most + 1)) }, () => nastyText(random, lines));
  return {
    id: memoryId(at, String(random()), kind, 0),
    project,
    at: random() < 0.5 ? at : at.replace('.000Z', 'Z'),
    kind,
    title: random() < 0.3 ? nastyText(random, 2) : pick(random, LINES),
    body: random() < 0.1 ? '' : nastyText(random, 12),
    ...(random() < 0.4 ? { reason: nastyText(random, 4) } : {}),
    facts: list(3, 3),
    concepts: list(3, 1),
    files: [...list(2, 1), ...(random() < 0.3 ? ['src/a b.ts', 'x`y``z', '`q`', 'a,b'] : [])],
    state: pick(random, ['current', 'open', 'resolved', 'superseded'] as const),
    provenance: {
      agent: pick(random, ['claude-code', '']),
      session,
      turn: nastyText(random, 1),
      messages: list(3, 1),
      by: pick(random, ['local', '']),
    },
    ...(random() < 0.5 ? { branch: pick(random, ['main', 'feat/--x->y', '分支', '-->', 'a b']) } : {}),
    ...(random() < 0.2 ? { supersedes: ['1ja0p3h7k2m9qx', '1ja0p3h7k2m9qy'] } : {}),
    ...(random() < 0.2 ? { supersededBy: '1ja0p3h7k2m9qz' } : {}),
    ...(random() < 0.2 ? { resolvedBy: '1ja0p3h7k2m9qw', seen: 3 } : {}),
  };
}

export function nastyHead(random: Random, id: string, startedAt: string): SessionHead {
  const summary = Object.fromEntries(
    SUMMARY_FIELDS.map((field) => [field, random() < 0.4 ? nastyText(random, 3) : '']),
  ) as SessionSummary; // built from SUMMARY_FIELDS
  return { id, agent: 'claude-code', startedAt, title: nastyText(random, 1), status: 'completed', summary };
}
