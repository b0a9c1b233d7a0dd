import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terminalFilm, terminalSvg } from './_terminal-svg.mjs';

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

test('colours of the 256 and 24-bit palettes, backgrounds and inverse text are kept', () => {
  const svg = terminalSvg('\u001b[38;5;174ma\u001b[0m\u001b[48;2;1;2;3mb\u001b[0m\u001b[7m \u001b[27m', {
    title: 't',
    columns: 10,
  });
  assert.match(svg, /fill="#d78787">a</);
  assert.match(svg, /<rect x="26\.4" [^>]*width="8\.4" [^>]*fill="#010203"\/><text [^>]*>b</);
  assert.match(svg, /<rect x="34\.9" [^>]*fill="#d7dae0"\/>$/m);
});

test('a film writes a row that stays once, and shows every other row at its time', () => {
  const frames = [
    { screen: 'same\nfirst', title: 'one', ms: 1000 },
    { screen: 'same\nsecond', title: 'one', ms: 3000 },
  ];
  const svg = terminalFilm(frames, { title: 't', columns: 20 });
  assert.equal(svg.match(/>same</g)?.length, 1);
  const named = (said) => new RegExp(`<g class="(\\w+)( z)?"><text [^>]*>${said}<`).exec(svg) ?? [];
  const [, first, isFirstLast] = named('first');
  const [, second, isSecondLast] = named('second');
  assert.deepEqual(
    [isFirstLast, isSecondLast],
    [undefined, ' z'],
    'the last screen is shown where nothing moves',
  );
  const times = (name) => new RegExp(`@keyframes ${name}\\{(.*?\\})\\}`).exec(svg)?.[1];
  assert.equal(times(first), '0%{visibility:visible}25%{visibility:hidden}');
  assert.equal(times(second), '0%{visibility:hidden}25%{visibility:visible}');
  assert.match(svg, new RegExp(`\\.${first}\\{animation:${first} 4s step-end infinite\\}`));
});
