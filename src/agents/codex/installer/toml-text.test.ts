import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasTopLevelKey, tablesIn, withoutTables, withRenamed, withTable } from './toml-text.ts';

const TEXT = `# mine
model = "gpt"  # [not.a.header]
notify = [
  ["a", "b"],
  [ "c" ],
]
text = """
[also.no.header]
\\"""
"""

[a]
x = '[no]'
y = "a \\" [b]"

# about the next
["quoted key".'b.c']
  z = 1
[[list]]
w = 1
[ a . "d" ]
`;

test('tables are found, and what only looks like one is not', () => {
  assert.deepEqual(
    tablesIn(TEXT).map(({ path }) => path),
    [['a'], ['quoted key', 'b.c'], ['list'], ['a', 'd']],
  );
  assert.ok(hasTopLevelKey(TEXT, 'notify'));
  assert.ok(!hasTopLevelKey(TEXT, 'x'));
});

test('a table is added at the end and removed again, byte for byte', () => {
  for (const text of ['', TEXT, TEXT.replaceAll('\n', '\r\n'), '[a]\n\n\n']) {
    const added = withTable(text, ['mcp_servers', 'my server'], { command: 'sh', args: ['a "b"'] });
    assert.match(added, /\[mcp_servers\."my server"\]\r?\ncommand = "sh"\r?\nargs = \["a \\"b\\""\]\r?\n$/);
    assert.equal(
      withoutTables(added, ([first]) => first === 'mcp_servers'),
      text,
    );
  }
});

test('removing a table keeps the comment of the next one', () => {
  const rest = withoutTables(TEXT, (path) => path.length === 1 && path[0] === 'a');
  assert.match(rest, /"""\n\n# about the next\n\["quoted key"/);
  assert.doesNotMatch(rest, /^x =/m);
});

test('removing a table keeps a list of tables behind it', () => {
  const text = '[ours]\na = 1\n[[hooks.Stop]]\nb = 1\n';
  assert.equal(
    withoutTables(text, ([first]) => first === 'ours'),
    '[[hooks.Stop]]\nb = 1\n',
  );
});

test('a table is renamed', () => {
  const renamed = withRenamed(TEXT, (path) => (path[1] === 'b.c' ? ['quoted key', 'b:0'] : undefined));
  assert.equal(renamed, TEXT.replace(`["quoted key".'b.c']`, '["quoted key"."b:0"]'));
});
