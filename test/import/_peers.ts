/** Folders in the formats of memsearch, Memory Keeper, crabshell and EverMem. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const TURN = '0b6c1a52-7f3e-4c1d-9a51-3d2f6a7b8c9d';

export function makeMemsearch(project: string): string {
  const folder = join(project, '.memsearch', 'memory');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, '2026-02-09.md'),
    `
## Session 14:30

### 14:30
<!-- session:abc123def turn:${TURN} transcript:/home/someone/.claude/projects/x/abc123def.jsonl -->
- User asked about the N+1 query in order-service
- Decided to use selectinload because joins doubled the rows
- Added an index on order.user_id

### 14:52
<!-- session:abc123def turn:xyz456abc transcript:/home/someone/.claude/projects/x/abc123def.jsonl -->
- Agent fixed the cache invalidation
  that expired too early

\`\`\`sh
### 99:99 is a comment of a script
\`\`\`

### 15:00
<!-- session:abc123def turn:t3 transcript:/x.jsonl -->
- Memory summary unavailable: summarizer timed out; transcript content was omitted.
`,
  );
  return folder;
}

export function makeKeeper(project: string): string {
  const folder = join(project, '.claude', 'memory');
  mkdirSync(join(folder, 'sessions', 'archive'), { recursive: true });
  const facts = {
    _meta: { counter: 3, lastSave: '2025-12-21_0300' },
    decisions: [
      {
        id: 'd001',
        type: 'architecture',
        date: '2025-12-21',
        content: 'Use structured markdown',
        reason: 'Easier to parse',
        files: ['src/parse.ts'],
        concepts: ['format'],
      },
    ],
    patterns: [{ id: 'p001', date: '2025-12-21', content: 'Always quote heredocs in bash' }],
    issues: [
      { id: 'i001', date: '2025-12-21', content: 'JSON editing fails on Windows', status: 'resolved' },
    ],
  };
  writeFileSync(join(folder, 'facts.json'), JSON.stringify(facts, null, 2));
  writeFileSync(
    join(folder, 'memory.md'),
    '## 2025-12-22_0900\nImplemented the exporter and its tests.\n\n## 2025-12-23_1000 (Session End)\n- Refactored the scanner into two files\n',
  );
  writeFileSync(
    join(folder, 'sessions', '2025-12-21_0300.md'),
    '# Session 2025-12-21_0300\n\n## Summary\nBuilt the parser from scratch.\n\n## Decisions\n- [architecture] Use structured markdown: Easier to parse\n  - files: src/parse.ts\n- Keep one file per day: merges stay small\n\n## Issues\n- Slow on large files: open\n',
  );
  writeFileSync(
    join(folder, 'sessions', 'archive', '2025-10.md'),
    '\n\n---\n\n# Session 2025-10-02_0800\n\n## Patterns\n- Tests come first\n\n\n---\n\n# Session 2025-10-05_0900\n\n## Decisions\n- Drop Python 2: nobody uses it\n',
  );
  return folder;
}

export function makeCrabshell(project: string): string {
  const folder = join(project, '.crabshell', 'memory');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'logbook.md'),
    '\n## 2026-04-01_1200 (local 04-01_2100)\nSwitched the build to esbuild; decided to drop webpack.\n',
  );
  writeFileSync(
    join(folder, 'logbook_20260301_000000.md'),
    '## 2026-02-01_0800 (local 02-01_1700)\nAdded the login page.\n',
  );
  return folder;
}

export const EVERMEM_SESSION = '9a1c2b3d-0000-4000-8000-00000000e4e4';

export function makeEverMem(config: string, project: string): string {
  const folder = join(config, 'plugins', 'cache', 'everos', 'evermem', '0.1.3', 'data');
  mkdirSync(folder, { recursive: true });
  const group = {
    keyId: 'k',
    groupId: 'proja1b2c',
    name: 'project',
    path: project,
    timestamp: '2026-02-01T09:00:00.000Z',
  };
  writeFileSync(join(folder, 'groups.jsonl'), `${JSON.stringify(group)}\n`);
  const session = {
    sessionId: EVERMEM_SESSION,
    groupId: 'proja1b2c',
    summary: 'How do we rotate the JWT keys?',
    turnCount: 5,
    reason: 'user_exit',
    startTime: '2026-02-09T10:00:00.000Z',
    endTime: '2026-02-09T10:30:00.000Z',
    timestamp: '2026-02-09T10:30:05.000Z',
  };
  writeFileSync(join(folder, 'sessions.jsonl'), `${JSON.stringify(session)}\n`);
  return folder;
}
