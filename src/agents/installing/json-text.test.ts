import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJson, withItems, withMember, withoutMatching, withoutMember } from './json-text.ts';

test('removes the member and keeps every other byte', () => {
  const text = '{\r\n\t"a" : 1,\r\n  "b": {"x":[1,{"b":2}], "y": "}\\"{"},\r\n    "c": null }';
  assert.equal(
    withoutMember(text, ['b', 'x']),
    '{\r\n\t"a" : 1,\r\n  "b": {"y": "}\\"{"},\r\n    "c": null }',
  );
  assert.equal(withoutMember(text, ['b']), '{\r\n\t"a" : 1,\r\n    "c": null }');
  assert.equal(withoutMember(text, ['a']), text.replace('"a" : 1,\r\n  ', ''));
  assert.equal(withoutMember(text, ['c']), text.replace(',\r\n    "c": null', ''));
});

test('the only member leaves empty braces', () => {
  assert.equal(withoutMember('{"p": {\n  "a@b": true\n}\n}\n', ['p', 'a@b']), '{"p": {}\n}\n');
});

test('a missing member changes nothing', () => {
  for (const text of ['{}', '\uFEFF{"a": {}}\n', '[1]', '{"a": [{"b": 1}]}'])
    assert.equal(withoutMember(text, ['a', 'b']), text);
});

test('an escaped key is found, and the last of two equal keys is removed', () => {
  assert.equal(withoutMember('{"\\u0061": 1, "b": 2}', ['a']), '{"b": 2}');
  assert.equal(withoutMember('{"a": 1, "a": 2}', ['a']), '{"a": 1}');
});

test('the result equals the parsed object without the key', () => {
  const objects = [{ a: 1 }, { a: { b: [1, 'x,y'] }, c: -1.5e3 }, { z: '\\', a: [], q: {} }];
  for (const object of objects)
    for (const indent of [undefined, 2, '\t'])
      for (const key of Object.keys(object)) {
        const left = Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
        assert.deepEqual(JSON.parse(withoutMember(JSON.stringify(object, null, indent), [key])), left);
      }
});

test('text that is not JSON is refused', () => {
  for (const text of ['{"a": 1', '{"a": 1 "b": 2}', 'a = 1', '{"a": "x'])
    assert.throws(() => withoutMember(text, ['a']), SyntaxError);
});

test('comments and trailing commas are read and kept', () => {
  const text = '{\n  // "b": 1, mine\n  "a": "// no comment", /* } */\n  "b": [1, 2,], // two\n}\n';
  assert.deepEqual(parseJson(text), { a: '// no comment', b: [1, 2] });
  const added = withMember(text, ['mcp', 'tidemark'], { command: ['x'] });
  assert.deepEqual(parseJson(added), {
    a: '// no comment',
    b: [1, 2],
    mcp: { tidemark: { command: ['x'] } },
  });
  for (const kept of ['// "b": 1, mine', '/* } */', '// two']) assert.ok(added.includes(kept), kept);
  assert.deepEqual(parseJson(withoutMember(added, ['mcp'])), parseJson(text));
});

test('a member is set at any depth, in the indentation and with the line ends of the text', () => {
  assert.equal(withMember('{}\n', ['a', 'b'], 1), '{\n  "a": {\n    "b": 1\n  }\n}\n');
  assert.equal(
    withMember('{\r\n\t"a": {\r\n\t\t"x": 1\r\n\t}\r\n}', ['a', 'b'], [1]),
    '{\r\n\t"a": {\r\n\t\t"x": 1,\r\n\t\t"b": [\r\n\t\t\t1\r\n\t\t]\r\n\t}\r\n}',
  );
  assert.equal(withMember('{"a": {"b": 1}}', ['a', 'b'], 2), '{"a": {"b": 2}}');
  assert.equal(withMember('{"a": 1}', ['a', 'b'], 2), '{"a": 1}');
});

test('adding and removing a member again gives the same object', () => {
  for (const text of ['{}', '{"a":1}', '{\n  "a": 1 // one\n}', '{ /* empty */ }', '{\n  "a": 1,\n}'])
    assert.deepEqual(parseJson(withoutMember(withMember(text, ['z'], { y: 1 }), ['z'])), parseJson(text));
});

test('objects are added to a list and removed from it, and the rest keeps its form', () => {
  const text = '{\n  "a": [\n    { "own": 1 }, // mine\n    { "own": 2 }\n  ]\n}\n';
  const added = withItems(text, ['a'], [{ ours: true }]);
  assert.deepEqual(parseJson(added), { a: [{ own: 1 }, { own: 2 }, { ours: true }] });
  const isOurs = (item: unknown): boolean => (item as { ours?: boolean }).ours === true;
  assert.equal(withoutMatching(added, ['a'], isOurs), text);
  assert.equal(withoutMatching(text, ['a'], isOurs), text);
  assert.equal(withoutMatching(text, ['b'], isOurs), text);
  const first = '{"a": [{"ours": true}, {"own": 1}, {"ours": true}, {"own": 2}]}';
  assert.equal(withoutMatching(first, ['a'], isOurs), '{"a": [{"own": 1}, {"own": 2}]}');
  assert.equal(withoutMatching('{"a": [{"ours": true}]}', ['a'], isOurs), '{"a": []}');
});

test('an item is added to a list with comments and a trailing comma', () => {
  for (const text of [
    '{"a": [\n  1, // one\n  2 // two\n]}',
    '{"a": [1, 2,]}',
    '{"a": [ // mine\n  1, 2\n]}',
    '{"a": [ /* none */ ]}',
  ]) {
    const { a } = parseJson(text) as { a: readonly number[] };
    const added = withItems(text, ['a'], [3, 4]);
    assert.deepEqual(parseJson(added), { a: [...a, 3, 4] }, text);
    for (const [comment] of text.matchAll(/\/\/ .*|\/\*.*?\*\//g)) assert.ok(added.includes(comment), added);
  }
});

test('a comment about the member before is kept', () => {
  const text = '{\n  "a": 1 // about a\n}\n';
  const added = withMember(text, ['z'], 1);
  assert.equal(withoutMember(added, ['z']), text);
  assert.deepEqual(parseJson(withoutMember('{"a": 1, // about a\n"z": 2}', ['z'])), { a: 1 });
});
