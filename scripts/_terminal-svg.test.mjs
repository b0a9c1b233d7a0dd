import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terminalSvg } from './_terminal-svg.mjs';

test('colours, weight and columns are kept, wide characters count twice', () => {
  const svg = terminalSvg('\u001b[32m✓\u001b[0m 日本 \u001b[1mbold <b>\u001b[0m\n\n', {
    title: 't',
    columns: 80,
  });
  const texts = [...svg.matchAll(/<text x="([\d.]+)".*?textLength="([\d.]+)".*?>([^<]*)<\/text>/g)].map(
    ([, x, length, said]) => [Number(x), Number(length), said],
  );
  assert.deepEqual(
    texts.map(([, , said]) => said),
    ['✓', '日本', 'bold &lt;b&gt;'],
  );
  assert.match(svg, /fill="#8fc87a">✓/);
  assert.match(svg, /font-weight="bold">bold/);
  const [, wide, bold] = texts;
  assert.ok(Math.abs(wide[1] - 4 * 8.43) < 0.1);
  assert.ok(Math.abs(bold[0] - (18 + 7 * 8.43)) < 0.1);
});
