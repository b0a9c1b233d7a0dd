import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { claudeNotesFolder } from '../../agents/index.ts';
import { normalLine, OwnFiles } from './own-files.ts';
import { alsoWritten } from './search-own-files.ts';

test('sections of the files of agents are labelled by who wrote them', (t) => {
  const { own, root, put, config } = world(t);
  put(join(config, 'CLAUDE.md'), '# Style\nUse tabs.\n');
  put(join(root, 'CLAUDE.md'), 'Made with care.\n\n## Testing\nRun npm test.\n```\n# not a heading\n```\n');
  put(join(root, 'AGENTS.md'), '## Deploying\nUse the blue script.\n');
  put(join(claudeNotesFolder(config, root), 'MEMORY.md'), '- [Ports](ports.md): the API is on 4100\n');
  put(
    join(claudeNotesFolder(config, root), 'ports.md'),
    '---\nname: ports\ndescription: Ports of the services\n---\nThe API is on 4100.\n',
  );
  assert.deepEqual(
    own
      .sections([root], new Set())
      .map(({ section: { label, evidence, title } }) => [label, evidence, title]),
    [
      ['from your CLAUDE.md', 'said', 'Style'],
      ["from the project's CLAUDE.md", 'quoted', 'CLAUDE.md'],
      ["from the project's CLAUDE.md", 'quoted', 'Testing'],
      ["from Claude Code's memory", 'claimed', 'MEMORY.md'],
      ["from Claude Code's memory", 'claimed', 'Ports of the services'],
      ["from the project's AGENTS.md", 'quoted', 'Deploying'],
    ],
  );
});

test('a changed file is read again, and a deleted one is gone', (t) => {
  const { root, put, found } = world(t);
  const path = join(root, 'CLAUDE.md');
  put(path, '## Release\nShip on Mondays.\n');
  const [first] = found('when do we ship');
  assert.equal(first?.section.text, 'Ship on Mondays.');
  put(path, '## Release\nShip on Fridays instead.\n');
  const [second] = found('when do we ship');
  assert.equal(second?.section.text, 'Ship on Fridays instead.');
  assert.equal(second.section.id, first.section.id, 'the id is of the file and the heading');
  rmSync(path);
  assert.deepEqual(found('when do we ship'), []);
});

test('secrets and private text are removed, and searching for them finds nothing', (t) => {
  const { root, put, found } = world(t);
  const token = `ghp_${'Ab1'.repeat(12)}`;
  put(join(root, 'CLAUDE.md'), `## Access\nThe token is ${token}.\n<private>zebrafinch</private>\n`);
  assert.doesNotMatch(JSON.stringify(found('access token')), /ghp_|zebrafinch/);
  assert.deepEqual(found('zebrafinch'), []);
});

test('links out of a project, folders and large files are not read', (t) => {
  const { root, put, own, base } = world(t);
  put(join(base, 'elsewhere.md'), '## Private\nzebrafinch\n');
  symlinkSync(join(base, 'elsewhere.md'), join(root, 'CLAUDE.md'));
  mkdirSync(join(root, 'AGENTS.md'));
  put(join(root, 'GEMINI.md'), `## Long\n${'word '.repeat(60_000)}\n`);
  symlinkSync('loop.md', join(root, 'loop.md'));
  symlinkSync('loop.md', join(root, 'QWEN.md'));
  assert.deepEqual(own.sections([root], new Set()), []);
});

test('a search finds sections by their words, and filters of memories exclude them', (t) => {
  const { root, put, found } = world(t);
  put(join(root, 'AGENTS.md'), '## Database\nMigrations run with `make migrate`.\n\n## Style\nUse tabs.\n');
  const [best, ...others] = found('how do migrations run');
  assert.equal(best?.section.title, 'Database');
  assert.match(best.excerpt, /make migrate/);
  assert.deepEqual(others, []);
  assert.deepEqual(found('kind:decision migrations'), []);
  assert.deepEqual(found('state:open migrations'), []);
  assert.equal(found('file:AGENTS.md migrations').length, 1);
  assert.deepEqual(found('file:CLAUDE.md migrations'), []);
});

test('an agent loads only its own files, and the first lines of its memory', (t) => {
  const { root, put, own, config } = world(t);
  put(join(root, 'CLAUDE.md'), '- Use **tabs**.\n');
  put(join(root, 'AGENTS.md'), '- Use spaces\n');
  put(join(claudeNotesFolder(config, root), 'MEMORY.md'), `${'x\n'.repeat(200)}Too far down\n`);
  const loaded = own.loadedLines('claude-code', [root]);
  assert.ok(loaded.has(normalLine('Use tabs')));
  assert.equal(loaded.has(normalLine('Use spaces')), false);
  assert.ok(loaded.has('x'));
  assert.equal(loaded.has(normalLine('Too far down')), false);
  put(join(config, 'settings.json'), '{"autoMemoryEnabled": false}');
  assert.equal(own.loadedLines('claude-code', [root]).has('x'), false);
  assert.ok(own.loadedLines('codex', [root]).has(normalLine('use spaces.')));
});

function world(t: TestContext) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'own-files-')));
  t.after(() => rmSync(base, { recursive: true, force: true }));
  const [home, config, root] = [join(base, 'home'), join(base, 'config'), join(base, 'shop')];
  for (const folder of [home, config, root]) mkdirSync(folder);
  const own = new OwnFiles({ HOME: home, CLAUDE_CONFIG_DIR: config });
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const found = (query: string) =>
    alsoWritten(own.sections([root], new Set()), query, [], {
      now: new Date(),
      known: () => ({ rows: 0, counts: new Map() }),
    });
  return { base, config, root, own, put, found };
}
