import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsIn } from './markdown-facts.ts';

const SESSION = `# Session 2025-12-21_0300

## Summary
- Nothing of this is a fact

## Decisions
- Use structured markdown: Easier to parse
- **Ports stay above 10:30**
  and go on here

### Later
- A second list: counts too

## Patterns
* Always use heredoc: it quotes

## Issues
- JSON editing fails: resolved
- The build is slow (open)
- [x] Old hook is left
- [ ] Docs are thin
- none

\`\`\`
## Decisions
- not this one
\`\`\`

## Notes
- Nor this
`;

test('factsIn finds decisions with reasons, patterns, and issues with states', () => {
  const { drafts, counts, at } = factsIn(SESSION);
  assert.deepEqual(counts, { decision: 3, pattern: 1, issue: 4 });
  assert.equal(at, '2025-12-21T03:00:00.000Z');
  assert.deepEqual(
    drafts.map(({ kind, title, reason, state }) => [kind, title, reason ?? state ?? '']),
    [
      ['decision', 'Use structured markdown', 'Easier to parse'],
      ['decision', 'Ports stay above 10:30 and go on here', ''],
      ['decision', 'A second list', 'counts too'],
      ['pattern', 'Always use heredoc: it quotes', ''],
      ['issue', 'JSON editing fails', 'resolved'],
      ['issue', 'The build is slow', 'open'],
      ['issue', 'Old hook is left', 'resolved'],
      ['issue', 'Docs are thin', 'open'],
    ],
  );
});

test('a file without such sections has no facts', () => {
  assert.deepEqual(factsIn('# Readme\n\n- one\n- two\n').drafts, []);
});

test('a heading of many blanks and an item of many brackets are read, not searched again from each of them', () => {
  const { drafts } = factsIn(
    `## Decisions${' '.repeat(100_000)}x\n- a ${'['.repeat(100_000)}: b\n- c (open)\n`,
  );
  assert.deepEqual(
    drafts.map(({ title, reason }) => [title.length, reason]),
    [
      [500, 'b'],
      [1, 'open'],
    ],
  );
});
