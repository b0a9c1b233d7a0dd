import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import { plantedSecrets } from '../../../test/corpus/secrets.ts';
import { PlayedStore } from '../../../test/support/played-store.ts';
import { memoryId, PERSONAL_PROJECT, type Memory } from '../../core/index.ts';
import { hashOutbound, filterProject, filterOutbound, refusePersonal, toWire } from './outbound-filter.ts';
import { outbox } from './outbox.ts';
import { WireEntry } from './wire.ts';

const PATHS = { userHome: '/home/ada', project: ['/home/ada/code/app', '/home/ada/code'] };
const AT = '2026-11-15T10:00:00.000Z';

test('personal memories are refused by every function', async () => {
  const personal = { ...memory(), project: PERSONAL_PROJECT };
  const refused = { code: 'team.personal' };
  assert.throws(() => refusePersonal(PERSONAL_PROJECT), refused);
  assert.throws(() => filterOutbound(personal, PATHS), refused);
  assert.throws(() => hashOutbound(personal, PATHS), refused);
  const project = { id: PERSONAL_PROJECT, name: 'personal', keys: [], paths: [] };
  assert.throws(() => filterProject(project), refused);
  const store = new PlayedStore('ada');
  store.write(personal);
  const clock = { machine: 'ada', now: () => new Date(AT) };
  await assert.rejects(
    outbox(store, { project: PERSONAL_PROJECT, remote: 'r' }, clock, { delayMs: 0 }),
    refused,
  );
});

test('planted secrets are redacted in every field', () => {
  for (const { type, contexts, needles } of plantedSecrets(7)) {
    for (const text of contexts) {
      const { content, redactions } = filterOutbound(
        memory({
          title: text,
          body: text,
          reason: text,
          facts: [text],
          concepts: [text],
          files: [text],
          branch: text,
          provenance: { agent: text, session: text, turn: text, messages: [text], by: text },
        }),
        PATHS,
      );
      const sent = JSON.stringify(content);
      const unescaped = Object.values(content).flat().join('\n');
      for (const needle of needles) assert.equal(`${sent}\n${unescaped}`.includes(needle), false, type);
      assert.ok(Object.keys(redactions).length > 0, type);
    }
  }
});

test('paths of the machine are removed from texts, files outside of the project from the list', () => {
  const { content, changed } = filterOutbound(
    memory({
      title: 'Look into /home/ada/code/app/src/a.ts',
      body: 'cd /home/ada/code/app && cat /home/ada/.ssh/config; /home/adam is another',
      files: [
        'src/a.ts',
        '/home/ada/code/app/src/b.ts',
        '/etc/passwd',
        '~/notes.md',
        '../other/c.ts',
        'C:\\x.txt',
      ],
    }),
    PATHS,
  );
  assert.equal(content.title, 'Look into src/a.ts');
  assert.equal(content.body, 'cd . && cat ~/.ssh/config; /home/adam is another');
  assert.deepEqual(content.files, ['src/a.ts', 'src/b.ts']);
  assert.equal(changed, true);
});

test('paths are removed in every form in which tools write them', () => {
  const { content } = filterOutbound(
    memory({
      body: [
        '~/.claude/projects/-home-ada-code-app/s.jsonl',
        'file:///home/ada/code/app/src/a.ts',
        '{"path":"\\/home\\/ada\\/notes.md"}',
        'GET /open?file=%2Fhome%2Fada%2Fcode%2Fapp%2Fsrc%2Fa.ts',
      ].join('\n'),
      files: ['%2Fetc%2Fpasswd', 'file:///etc/passwd', '%2Fhome%2Fada%2Fcode%2Fapp%2Fsrc%2Fa.ts'],
    }),
    PATHS,
  );
  assert.equal(
    content.body,
    ['~/.claude/projects/./s.jsonl', 'src/a.ts', '{"path":"~\\/notes.md"}', 'GET /open?file=src%2Fa.ts'].join(
      '\n',
    ),
  );
  assert.deepEqual(content.files, ['src%2Fa.ts']);
});

test('only keys that mean the same on every machine are sent for a project', () => {
  const keys = [
    'remote:git.example.org/tide/app',
    'root:0a1b',
    'git:/home/ada/x/.git',
    'path:/home/ada/x',
    'inode:1-2-3',
  ];
  assert.deepEqual(filterProject({ id: 'app-1', name: 'app', keys, paths: ['/home/ada/x'] }), {
    name: 'app',
    keys: ['remote:git.example.org/tide/app', 'root:0a1b'],
  });
});

test('a large entry is cut to the size a server accepts, and its hash is stable', () => {
  const large = memory({
    title: 'word '.repeat(1000),
    body: 'word '.repeat(50_000),
    facts: Array.from({ length: 500 }, () => 'f'),
  });
  const { content, hash } = filterOutbound(large, PATHS);
  assert.ok(v.safeParse(WireEntry, toWire(content, 'ada', { clock: 1, machine: 'ada' })).success);
  assert.equal(hash, hashOutbound(large, PATHS));
  assert.equal(hash, hashOutbound(large, PATHS));
});

function memory(more: Partial<Memory> = {}): Memory {
  return {
    id: memoryId(AT, 'turn', 'decision', 0),
    project: 'app-1',
    at: AT,
    kind: 'decision',
    title: 'Tokens rotate',
    body: '',
    facts: [],
    concepts: [],
    files: [],
    state: 'current',
    provenance: { agent: 'claude-code', session: 's', turn: 't', messages: [], by: 'local' },
    ...more,
  };
}
