import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROJECT_PAGE_LINES, renderProjectPage, type ProjectPageSection } from './project-page.ts';

const SECTIONS: readonly ProjectPageSection[] = [
  {
    heading: 'Decisions',
    lines: [
      { key: 'aaa', text: '- Tokens rotate.' },
      { key: 'bbb', text: '- Prices are cents.' },
    ],
  },
  { heading: 'Open issues', lines: [{ key: 'ccc', text: '- Logout is broken.' }] },
];
const OPTIONS = { title: 'shop: what to know now' };

test('writing a page twice changes nothing', () => {
  const page = renderProjectPage(null, SECTIONS, OPTIONS);
  assert.match(page, /^# shop: what to know now\n\n<!-- tidemark:begin -->\n/);
  assert.match(page, /\n## Decisions\n\n- Tokens rotate\. <!-- aaa \w{6} -->\n/);
  assert.equal(renderProjectPage(page, SECTIONS, OPTIONS), page);
});

test('a page with a merge conflict is not changed, except that forgotten lines are removed', () => {
  const page = renderProjectPage(null, SECTIONS, OPTIONS).replace(
    /(- Tokens rotate.*\n)/,
    '<<<<<<< HEAD\n$1=======\n- Tokens never rotate.\n>>>>>>> other\n',
  );
  assert.equal(renderProjectPage(page, SECTIONS.slice(1), OPTIONS), page);
  const left = renderProjectPage(page, SECTIONS.slice(1), { ...OPTIONS, erased: (key) => key === 'aaa' });
  assert.equal(left, page.replace(/- Tokens rotate.*\n/, ''));
});

test('lines outside the markers are not changed', () => {
  const page = `My own words.\n\n${renderProjectPage(null, SECTIONS, OPTIONS)}\nMore of mine.\n`;
  const next = renderProjectPage(page, SECTIONS.slice(0, 1), OPTIONS);
  assert.ok(next.startsWith('My own words.\n\n# shop'));
  assert.ok(next.endsWith('\nMore of mine.\n'));
  assert.doesNotMatch(next, /Logout/);
});

test('the user’s changed, added and deleted lines are kept', () => {
  const page = renderProjectPage(null, SECTIONS, OPTIONS);
  const edited = page
    .replace('- Tokens rotate.', '- Tokens rotate, but not in tests.')
    .replace(/^- Prices.*\n/m, '')
    .replace('## Open issues\n\n', '## Open issues\n\n- Ask Kim about Safari.\n');
  const more = [...SECTIONS, { heading: 'Patterns', lines: [{ key: 'ddd', text: '- Small files.' }] }];
  const next = renderProjectPage(edited, more, OPTIONS);
  assert.match(next, /- Tokens rotate, but not in tests\. <!-- aaa by-hand -->/);
  assert.match(next, /- Ask Kim about Safari\. <!-- by-hand -->/);
  assert.match(next, /- Small files\./);
  assert.doesNotMatch(next, /Prices/);
  assert.equal(renderProjectPage(next, more, OPTIONS), next);
  assert.match(
    renderProjectPage(next, [], OPTIONS),
    /not in tests/,
    'also when we would not write it any more',
  );
});

test('a forgotten line is removed, also if the user changed it', () => {
  const page = renderProjectPage(null, SECTIONS, OPTIONS).replace(
    '- Tokens rotate.',
    '- Tokens rotate always.',
  );
  const next = renderProjectPage(page, SECTIONS.slice(1), { ...OPTIONS, erased: (key) => key === 'aaa' });
  assert.doesNotMatch(next, /Tokens/);
});

test('a page never exceeds its limit and keeps the user’s lines', () => {
  const many = Array.from({ length: 400 }, (_, i) => ({ key: `k${i}`, text: `- Line ${i}` }));
  const own = Array.from({ length: 50 }, (_, i) => `mine ${i}`).join('\n');
  const page = renderProjectPage(`${own}\n`, [{ heading: 'Decisions', lines: many }], OPTIONS);
  assert.ok(page.split('\n').length <= PROJECT_PAGE_LINES + 1, String(page.split('\n').length));
  assert.match(page, /mine 49/);
});

test('a page without an end marker is not changed', () => {
  const broken = '# x\n<!-- tidemark:begin -->\n- half';
  assert.equal(renderProjectPage(broken, SECTIONS, OPTIONS), broken);
});
