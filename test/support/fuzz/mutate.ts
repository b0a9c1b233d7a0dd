/**
 * Changes texts and JSON in the ways that break parsers: cuts, splices, repeats, flipped bits, other line ends, deep
 * nesting, huge numbers, keys like `__proto__`, lone surrogates and characters of every class. Pure.
 */
import type { Random } from '../random.ts';

/** Most mutations of one text. */
const MOST_CHANGES = 6;
/** Longer inputs find no more bugs, they only take longer. */
const LONGEST = 4000;
/** One case in so many gets a line far beyond every limit for a line. */
const LONG_LINE_EVERY = 400;
const LONG_LINE = 40_000;

/** Characters of every class that a parser may treat specially. */
const CHARACTERS: readonly [string, ...string[]] = [
  ' ',
  ...'\t\n\r\v\f\0\b\u0007\u001b\u007f\u0085\u009b\u00a0\u00ad\u061c\u180e\u200b\u200c\u200d\u200e\u202e\u2028\u2029',
  ...'\u2066\ufeff\ufffd\uffff\u0301\u3000"\'`\\/<>&#*_-+=|~:;,.!?()[]{}@$%^0aZéßİıſ中あ한ע',
  '\ud800',
  '\udfff',
  '\ud83d\ude42',
  '\udb40\udc41',
  '🏳️‍🌈',
  '\r\n',
];

/** Pieces with a meaning in at least one of the formats. */
const TOKENS: readonly [string, ...string[]] = [
  '```',
  '~~~',
  '````ts',
  '<!-- ',
  '-->',
  '<!-- tidemark 1ja0p3h7k2m9qx state=open -->',
  '<!-- tidemark session s1 -->',
  '<!-- tidemark end of text -->',
  '### 14:32 decision · x',
  '## Session 10:00 · x',
  '# 2026-11-15',
  'Reason: ',
  'Files: `a.ts`',
  'Concepts: ',
  '- ',
  '<<<<<<< HEAD\n',
  '=======\n',
  '>>>>>>> x\n',
  '<private>',
  '</private>',
  '---\n',
  '%',
  '%2D%2D',
  '%zz',
  '\\u0000',
  '\\ud800',
  '\\',
  '{',
  '}',
  '[',
  ']',
  '"',
  ':',
  ',',
  'null',
  'true',
  '1e999',
  '-0',
  '9007199254740993',
  '"__proto__":{"x":1},',
  '"constructor":{"prototype":{"x":1}},',
  '"toString":1,',
  '<operation>',
  '</operation>',
  '<none/>',
  '<title>',
  '</title>',
  '<![CDATA[',
  ']]>',
  '&amp;',
  '&#x0;',
  '&#xd800;',
  '&#1114112;',
  'Noted (decision): ',
  'Noted (ends 1ja0p3h7k2m9qx): ',
  '("',
  '")',
  'password: ',
  'api_key=',
  'Bearer ',
  'https://u:',
  '@',
  '-----BEGIN PRIVATE KEY-----',
  '-----END PRIVATE KEY-----',
  '[redacted:',
  'tool_use',
  'tool_result',
  '<command-name>',
  '<bash-input>',
  '[Request interrupted by user]',
  '\x1b]52;c;',
  '\x1b[2J',
  '2026-13-45T99:99:99Z',
  '0000-00-00',
  '+275760-09-13T00:00:00Z',
];

/** Returns the text with one to six changes. `others` are texts to splice in. */
export function mutated(random: Random, text: string, others: readonly string[] = []): string {
  let out = text;
  const changes = 1 + random.below(MOST_CHANGES);
  for (let i = 0; i < changes; i++) out = change(random, out, others);
  if (random.below(LONG_LINE_EVERY) === 0)
    return insert(out, random.below(out.length + 1), longPiece(random));
  return out.length > LONGEST ? out.slice(0, LONGEST) : out;
}

/** Returns a piece of any length up to `most`: characters of all classes and tokens. */
export function scramble(random: Random, most: number): string {
  let out = '';
  for (let left = random.below(most + 1); left > 0; left--)
    out += random.below(4) === 0 ? random.pick(TOKENS) : random.pick(CHARACTERS);
  return out;
}

function change(random: Random, text: string, others: readonly string[]): string {
  const at = random.below(text.length + 1);
  const to = Math.min(text.length, at + 1 + random.below(random.below(4) === 0 ? 200 : 12));
  switch (random.below(14)) {
    case 0:
      return insert(text, at, random.pick(CHARACTERS));
    case 1:
      return insert(text, at, random.pick(TOKENS));
    case 2:
      return text.slice(0, at) + text.slice(to); // delete
    case 3:
      return insert(text, at, text.slice(at, to)); // repeat
    case 4:
      return text.slice(0, at); // cut the end
    case 5:
      return text.slice(at); // cut the start
    case 6:
      return flipped(random, text, at);
    case 7:
      return insert(text, at, random.pick(CHARACTERS).repeat(1 + random.below(300)));
    case 8:
      return text.slice(0, at) + random.pick(TOKENS) + text.slice(to);
    case 9: {
      const other = others.length === 0 ? text : (others[random.below(others.length)] ?? text);
      const start = random.below(other.length + 1);
      return insert(text, at, other.slice(start, start + 1 + random.below(300)));
    }
    case 10:
      return otherLineEnds(random, text);
    case 11:
      return linesMoved(random, text);
    case 12:
      return numbersChanged(random, text);
    default:
      return insert(text, at, nesting(random));
  }
}

/** Repetitions are what makes a slow regular expression slow. */
function longPiece(random: Random): string {
  const piece = random.below(2) === 0 ? random.pick(CHARACTERS) : random.pick(TOKENS);
  return piece.repeat(Math.floor(LONG_LINE / piece.length));
}

function insert(text: string, at: number, piece: string): string {
  return text.slice(0, at) + piece + text.slice(at);
}

function flipped(random: Random, text: string, at: number): string {
  if (at >= text.length) return text;
  const code = text.charCodeAt(at) ^ (1 << random.below(random.below(8) === 0 ? 16 : 7));
  return text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
}

function otherLineEnds(random: Random, text: string): string {
  const end = random.pick(['\r\n', '\r', '\n\n', '\u2028', '\u0085', ' \n']);
  return random.below(2) === 0 ? text.replaceAll('\n', end) : text.replace('\n', end);
}

function linesMoved(random: Random, text: string): string {
  const lines = text.split('\n');
  if (lines.length < 2) return text;
  const [line = ''] = lines.splice(random.below(lines.length), 1);
  if (random.below(3) > 0) lines.splice(random.below(lines.length + 1), 0, line);
  if (random.below(3) === 0) lines.splice(random.below(lines.length + 1), 0, line);
  return lines.join('\n');
}

const NUMBERS = ['-1', '0', '1e309', '-1e-400', '9007199254740993', '00', '1.5', '4294967296', ''] as const;

function numbersChanged(random: Random, text: string): string {
  const from = random.below(text.length + 1);
  const found = /\d+/.exec(text.slice(from));
  if (!found) return text;
  const at = from + found.index;
  return text.slice(0, at) + random.pick(NUMBERS) + text.slice(at + found[0].length);
}

function nesting(random: Random): string {
  const depth = 1 + random.below(random.below(8) === 0 ? 3000 : 40);
  const open = random.pick(['[', '{"a":', '> ', '(', '<operation>', '**', '- ', '<private>']);
  return open.repeat(depth);
}

/** Keys that are dangerous for plain objects. */
const KEYS: readonly [string, ...string[]] = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'length',
  '',
  '0',
  ' ',
  '\u0000',
  '\ud800',
];
/** One node in so many is changed. */
const CHANGE_EVERY = 12;

/**
 * Returns JSON text of a value in which some nodes have another type, are missing or occur twice, and some keys are
 * dangerous. `textOf` changes strings.
 */
export function mutatedJson(
  random: Random,
  value: unknown,
  textOf: (random: Random, text: string) => string = (own, text) => mutated(own, text),
): string {
  if (random.below(CHANGE_EVERY) === 0) return wrongValue(random);
  if (typeof value === 'string')
    return JSON.stringify(random.below(CHANGE_EVERY / 2) === 0 ? textOf(random, value) : value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) {
    const items = value.flatMap((item: unknown) => {
      const text = mutatedJson(random, item, textOf);
      return random.below(CHANGE_EVERY) === 0 ? Array.from({ length: random.below(4) }, () => text) : [text];
    });
    return `[${items.join(',')}]`;
  }
  const members = Object.entries(value).flatMap(([key, item]) => {
    const text = `${JSON.stringify(key)}:${mutatedJson(random, item, textOf)}`;
    switch (random.below(CHANGE_EVERY * 2)) {
      case 0:
        return [];
      case 1:
        return [text, `${JSON.stringify(key)}:${wrongValue(random)}`];
      case 2:
        return [`${JSON.stringify(random.pick(KEYS))}:${wrongValue(random)}`, text];
      case 3:
        return [`${JSON.stringify(random.pick(KEYS))}:${text.slice(text.indexOf(':') + 1)}`];
      default:
        return [text];
    }
  });
  return `{${members.join(',')}}`;
}

function wrongValue(random: Random): string {
  switch (random.below(9)) {
    case 0:
      return random.pick(['null', 'true', 'false', '0', '-0', '1e308', '-1', '1.5', '9007199254740993']);
    case 1:
      return '""';
    case 2:
      return '{}';
    case 3:
      return '[]';
    case 4: {
      const depth = 1 + random.below(random.below(10) === 0 ? 2000 : 20);
      return `${'['.repeat(depth)}${']'.repeat(depth)}`;
    }
    case 5:
      return `{${JSON.stringify(random.pick(KEYS))}:{"x":"y"}}`;
    case 6:
      return JSON.stringify('x'.repeat(random.below(random.below(50) === 0 ? 70_000 : 300)));
    default:
      return JSON.stringify(scramble(random, 12));
  }
}
