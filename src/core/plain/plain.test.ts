import assert from 'node:assert/strict';
import { test } from 'node:test';
import { escapedJson, plainJson, plainLine, plainText } from './index.ts';

const SINGLE = [0xad, 0x034f, 0x061c, 0x115f, 0x1160, 0x180e, 0x3164, 0xfeff, 0xffa0];
/** Every character that may not reach a terminal, apart from joiners that stay in their scripts. */
const FORBIDDEN = [
  ...SINGLE,
  ...range(0x00, 0x08),
  ...range(0x0b, 0x1f),
  ...range(0x7f, 0x9f),
  ...range(0x200b, 0x200f),
  ...range(0x2028, 0x202e),
  ...range(0x2060, 0x206f),
  ...range(0xd800, 0xdfff),
  ...range(0xfe00, 0xfe0f),
  ...range(0xfff9, 0xfffb),
  ...range(0xe0000, 0xe01ef),
].map((code) => String.fromCodePoint(code));

test('no forbidden character survives, alone or between letters', () => {
  for (const character of FORBIDDEN) {
    const code = character.codePointAt(0)?.toString(16);
    assert.ok(!plainText(`a${character}b`).includes(character), code);
    assert.ok(!plainText(character.repeat(3)).includes(character), code);
  }
});

for (const [name, sequence] of [
  ['a colour', '\u001b[31m'],
  ['clearing the screen, 8 bit', '\u009b2J'],
  ['the clipboard (OSC 52)', '\u001b]52;c;ZXZpbA==\u0007'],
  ['the clipboard with ST', '\u001b]52;c;ZXZpbA==\u001b\\'],
  ['the clipboard, 8 bit', '\u009d52;c;ZXZpbA==\u009c'],
  ['the start of a link (OSC 8)', '\u001b]8;;https://x.example\u001b\\'],
  ['a device string (DCS)', '\u001bP$q"p\u001b\\'],
  ['a device string, 8 bit', '\u0090+q544e\u009c'],
  ['SOS', '\u001bXabc\u001b\\'],
  ['PM', '\u001b^abc\u009c'],
  ['APC', '\u001b_Gf=100;AAAA\u001b\\'],
  ['APC, 8 bit', '\u009fGf=100;AAAA\u009c'],
  ['a reset', '\u001bc'],
  ['a character set', '\u001b(0'],
] as const)
  test(`${name} is removed as a whole`, () => assert.equal(plainText(`a${sequence}b`), 'ab'));

test('a string without an end hides nothing that follows', () => {
  assert.equal(plainText('one\u001b]0;two\nthree\u0007'), 'one0;two\nthree');
  assert.equal(plainText('one\u009d0;two'), 'one0;two');
});

test('sequences inside each other leave no introducer', () => {
  assert.equal(plainText('a\u001b\u001b[31m]52;c;x\u0007b'), 'a]52;c;xb');
  assert.equal(plainText('a\u001b]0;\u001b[2Jx\u0007b'), 'a0;xb');
});

test('hostile text is cleaned in linear time', () => {
  const many = 300_000;
  for (const text of ['\u200d', '\u009d', '\u001b]', '\u001b[', '\u001b[1;', '\u009bx', 'a\u200c'])
    assert.doesNotMatch(plainText(text.repeat(many)), /[\u001b\u0080-\u009f\u200c\u200d]/);
});

test('line ends become newlines, tabs stay', () => {
  assert.equal(plainText('a\r\nb\rc\td\u2028e\u2029f'), 'a\nb\nc\td\ne\nf');
  assert.equal(plainLine(' a\n\n b\u001b[2K\tc\u2028d '), 'a b c d');
});

test('joiners and selectors stay where writing needs them', () => {
  for (const text of ['👩‍💻 👩🏽‍🚒 ❤️‍🔥 🏳️‍🌈 ✔️ ☎︎ 1️⃣ 🇩🇪', 'می‌خواهم', 'क्‍ष', 'ක්‍ර', 'ന്‍', 'Grüße, 日本語, עברית, العربية'])
    assert.equal(plainText(text), text);
});

test('joiners and selectors that only hide text are removed', () => {
  assert.equal(plainText('pass\u200dword na\u200cme 1\ufe0f a\ufe0f'), 'password name 1 a');
  assert.equal(plainText('😀\ufe00\ufe01\u{e0101}\u200d\u200c'), '😀');
  assert.equal(plainText('م\u200c\u200d\u200cی'), 'می');
});

test('half of a surrogate pair becomes a replacement character', () => {
  assert.equal(plainText('a\ud83db'), 'a\ufffdb');
});

test('JSON holds no forbidden character and parses to the same value', () => {
  const value = { text: FORBIDDEN.join('x'), '\u202ekey': ['👩‍💻', 'ü', '日本'] };
  for (const json of [plainJson(value), plainJson(value, 2), escapedJson(JSON.stringify(value))]) {
    const characters = new Set(json);
    assert.deepEqual(
      FORBIDDEN.filter((character) => characters.has(character)),
      [],
    );
    assert.deepEqual(JSON.parse(json), value);
  }
  assert.match(plainJson(value), /日本/);
});

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}
