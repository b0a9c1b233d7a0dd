/**
 * Makes text safe to show: on a terminal, on the hub's page, in an answer to a model. Everything that people, tools,
 * files or other machines wrote goes through here. Pure, and free of Node: the page uses it too.
 */

/**
 * Removes escape sequences, control characters and invisible ones. Keeps newlines and tabs; other line ends become
 * newlines, and half of a surrogate pair becomes U+FFFD.
 */
export function plainText(text: string): string {
  if (!UNSAFE.test(text)) return text;
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(SEQUENCE, '')
    .replace(CONTROL, '')
    .replace(INVISIBLE, keptJoiner);
}

/** The same on one line. */
export function plainLine(text: string): string {
  return plainText(text).replace(/\s+/g, ' ').trim();
}

/** JSON in which every unsafe character is written as `\u…`: it is safe on a terminal and parses to the same value. */
export function plainJson(value: unknown, indent?: number): string {
  return escapedJson(JSON.stringify(value, null, indent) ?? 'null');
}

/** The same for text that is JSON already. */
export function escapedJson(json: string): string {
  return json.replace(UNSAFE_IN_JSON, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/**
 * Default_Ignorable_Code_Point covers what a terminal or a browser does not draw: zero-width characters, bidi
 * controls, soft hyphens, fillers, variation selectors and the tag block, which can hide whole sentences.
 */
const IGNORABLE = String.raw`\p{Default_Ignorable_Code_Point}\ufff9-\ufffb`;
const INVISIBLE = new RegExp(`[${IGNORABLE}]+`, 'gu');
const UNSAFE = new RegExp(
  String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\p{Surrogate}${IGNORABLE}]`,
  'u',
);
/** JSON.stringify escapes the other control characters and lone surrogates itself. */
const UNSAFE_IN_JSON = new RegExp(String.raw`[\u007f-\u009f\u2028\u2029${IGNORABLE}]`, 'gu');

/**
 * Strings (OSC, DCS, SOS, PM, APC) with their content, then CSI, then the short escapes; each with a 7-bit or an 8-bit
 * introducer. A string without its end on the same line loses only the introducer: one entry must not hide the next.
 * No character class contains an introducer, so that the time stays linear.
 */
const SEQUENCE =
  // oxlint-disable-next-line no-control-regex
  /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])(?:[^\n\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c))?|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[ -/]*[0-~]?/g;

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/**
 * Joiners that writing needs stay: between emoji (👩‍💻), and after a letter of a script that joins (Persian, Hindi).
 * An emoji keeps its variation selector. Elsewhere these characters only hide text, as longer runs of them do.
 */
function keptJoiner(run: string, at: number, whole: string): string {
  const before = whole.slice(Math.max(0, at - 2), at);
  const after = whole.slice(at + run.length, at + run.length + 2);
  switch (run) {
    case '\u200c':
      return JOINING_SCRIPT.test(before) ? run : '';
    case '\u200d':
      return JOINING_SCRIPT.test(before) || (EMOJI_END.test(before) && EMOJI_START.test(after)) ? run : '';
    case '\ufe0f\u200d':
      return EMOJI_END.test(before) && EMOJI_START.test(after) ? run : '';
    case '\ufe0e':
    case '\ufe0f':
      return EMOJI_END.test(before) || after.startsWith(KEYCAP) ? run : '';
    default:
      return '';
  }
}

const KEYCAP = '\u20e3';
const EMOJI_END = /[\p{Extended_Pictographic}\p{Emoji_Modifier}]$/u;
const EMOJI_START = /^\p{Extended_Pictographic}/u;
const JOINING_SCRIPT = new RegExp(
  `[${'Arab Syrc Mong Nkoo Adlm Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt'
    .split(' ')
    .map((script) => String.raw`\p{Script_Extensions=${script}}`)
    .join('')}]$`,
  'u',
);
