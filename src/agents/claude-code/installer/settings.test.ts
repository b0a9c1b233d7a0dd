import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  allowsNotes,
  hasOurs,
  NOTE_RULES,
  PLUGIN,
  settingsAfter,
  withNoteRules,
  withoutNoteRules,
  withoutOurs,
} from './settings.ts';

/** The settings after the client's install: reformatted, keys reordered, ours added, one dropped. */
function installed(before: string | null): string {
  const { dropped: _, ...rest } = JSON.parse((before ?? '{}').replace(/^\uFEFF/, '')) as Record<
    string,
    object
  >;
  return JSON.stringify(
    {
      ...rest,
      enabledPlugins: { ...rest['enabledPlugins'], [PLUGIN]: true },
      extraKnownMarketplaces: { ...rest['extraKnownMarketplaces'], tidemark: { source: { path: '/x' } } },
    },
    null,
    2,
  );
}

function uninstalled(text: string): string {
  const json = JSON.parse(text) as Record<string, Record<string, unknown>>;
  delete json['enabledPlugins']?.[PLUGIN];
  delete json['extraKnownMarketplaces']?.['tidemark'];
  return JSON.stringify(json, null, 2);
}

const BEFORE = {
  'no file': null,
  'an empty object': '{}',
  'no newline at the end': '{"model": "opus"}',
  'Windows line ends and tabs': '{\r\n\t"enabledPlugins": {"other@mk": true},\r\n\t"dropped": 1\r\n}\r\n',
  'a byte order mark': '\uFEFF{"hooks": {"Stop": []}}\n',
  'empty containers': '{"enabledPlugins":{},"extraKnownMarketplaces":{}}',
};

for (const [name, before] of Object.entries(BEFORE)) {
  test(`comes back byte for byte: ${name}`, () => {
    const after = installed(before);
    assert.deepEqual(settingsAfter(after, uninstalled(after), { before, after }), {
      kind: 'restored',
      text: before,
    });
  });

  test(`only our keys go when something else changed: ${name}`, () => {
    const after = installed(before);
    const changed = after.replace('{\n', '{\n  "theme":   "dark",\n');
    const outcome = settingsAfter(changed, uninstalled(changed), { before, after });
    assert.equal(outcome.kind, 'keys-removed');
    const { text } = outcome as { text: string };
    assert.ok(text.startsWith('{\n  "theme":   "dark"'), text);
    assert.ok(!/tidemark/.test(text), text);
    const { dropped: _, ...was } = JSON.parse((before ?? '{}').replace(/^\uFEFF/, '')) as Record<
      string,
      unknown
    >;
    assert.deepEqual(JSON.parse(text), { ...was, theme: 'dark' });
  });
}

test('without a copy our keys and their new containers are removed', () => {
  const text = '{\n  "a": 1,\n  "enabledPlugins": {\n    "tidemark@tidemark": true\n  }\n}\n';
  assert.deepEqual(settingsAfter(text, uninstalled(text), undefined), {
    kind: 'keys-removed',
    text: '{\n  "a": 1\n}\n',
  });
});

test('changes by another program during the uninstall stay', () => {
  const after = installed('{"a":1}');
  const left = uninstalled(after).replace('"a": 1', '"a": 2');
  assert.deepEqual(settingsAfter(after, left, { before: '{"a":1}', after }), {
    kind: 'left',
    reason: 'changed-meanwhile',
  });
});

test('a file that is not JSON, or without our keys, is not changed', () => {
  assert.equal(settingsAfter('{// mine\n}', '{// mine\n}', undefined).kind, 'left');
  assert.equal(settingsAfter(null, null, undefined).kind, 'left');
  assert.deepEqual(settingsAfter('{"a":1}', '{"a":1}', undefined), { kind: 'left', reason: 'not-there' });
});

test('our plugin from another marketplace is a different plugin', () => {
  assert.equal(hasOurs('{"enabledPlugins":{"tidemark@acme":true}}'), false);
  assert.equal(
    withoutOurs('{"enabledPlugins":{"x@tidemark":true}}', null),
    '{"enabledPlugins":{"x@tidemark":true}}',
  );
});

const WITH_RULES = {
  ...BEFORE,
  'other rules':
    '{\n  "permissions": {\n    "allow": [\n      "Bash(ls:*)"\n    ],\n    "deny": []\n  }\n}\n',
  'an empty list': '{"permissions":{"allow":[]}}',
  'one of our rules': `{"permissions":{"allow":["${NOTE_RULES[0]}"]}}`,
  'permissions without a list': '{\n\t"permissions": {"defaultMode": "plan"},\n\t"model": "opus"\n}',
};

for (const [name, before] of Object.entries(WITH_RULES)) {
  test(`rules for notes are added once and come off: ${name}`, () => {
    const text = withNoteRules(before);
    assert.ok(text !== undefined && allowsNotes(text), text);
    assert.equal(withNoteRules(text), text);
    const bare = JSON.parse((before ?? '{}').replace(/^\uFEFF/, '')) as object;
    assert.deepEqual(JSON.parse(withoutNoteRules(text, before).replace(/^\uFEFF/, '')), bare);
  });

  test(`settings with rules for notes come back byte for byte: ${name}`, () => {
    const after = installed(before);
    const text = withNoteRules(after) ?? assert.fail();
    assert.deepEqual(settingsAfter(text, uninstalled(text), { before, after }), {
      kind: 'restored',
      text: before,
    });
  });
}

test('a rule that the user had before stays', () => {
  const before = `{"permissions":{"allow":["${NOTE_RULES[0]}","Bash(ls:*)"]}}`;
  const text = withNoteRules(before) ?? assert.fail();
  assert.equal(withoutNoteRules(text, before), before);
});

test('rules for notes keep every other byte', () => {
  const before = '{\r\n\t"model": "opus",\r\n\t"permissions": {\r\n\t\t"deny": ["x"]\r\n\t}\r\n}\r\n';
  const text = withNoteRules(before) ?? assert.fail();
  assert.ok(
    text.startsWith('{\r\n\t"model": "opus",\r\n\t"permissions": {\r\n\t\t"deny": ["x"],\r\n\t\t"allow": ['),
    text,
  );
  assert.equal(withoutNoteRules(text, before), before);
});

test('settings that are not JSON get no rules', () => {
  assert.equal(withNoteRules('{'), undefined);
});
