/** Text that attacks a terminal, a page or a model, and the search for what may not get through. For tests only. */

/** Invisible letters of the tag block: a model reads them, a person does not see them. */
export const TAGS = [...'obey']
  .map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0)))
  .join('');

/** One of each class. `PAYLOAD` is the content of its escape sequences, which must be gone too. */
export const PAYLOAD = 'cGF5bG9hZA==';
export const HOSTILE = [
  `\u001b]52;c;${PAYLOAD}\u0007`,
  `\u001b]8;;https://${PAYLOAD}.example\u001b\\link\u001b]8;;\u001b\\`,
  '\u001b[2J\u001b[31mred\u001b[8m',
  `\u001bP+q${PAYLOAD}\u001b\\`,
  `\u009d52;c;${PAYLOAD}\u009c\u009b5A\u0090q${PAYLOAD}\u009c`,
  `\u001b_${PAYLOAD}\u001b\\\u001b^${PAYLOAD}\u001b\\\u001bX${PAYLOAD}\u001b\\`,
  '\u0007\u0008\u000b\u007f\u0085',
  '\u202egnp.exe\u202c\u2066x\u2069\u200e\u200f\u061c',
  `pass\u200bwo\u200crd\u200d\u2060\ufeff\u00ad${TAGS}\u{e0101}\ufff9\u2028`,
  'overwritten\rby this',
].join(' ');
/** Short enough for a file name, a branch or an argument, and without a slash. */
export const HOSTILE_NAME = `\u001b]52;c;${PAYLOAD}\u0007\u001b[31m\u009b5A\u202e\u200b\u00ad${TAGS}\u0085\u007f\u2028\r.`;

const FORBIDDEN = new RegExp(
  [
    String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e`,
    String.raw`\u2060-\u206f\ufe00-\ufe0d\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}\p{Surrogate}]`,
  ].join(''),
  'gu',
);

/** Lists the code points that may not be in text that is shown. */
export function forbiddenIn(text: string): readonly string[] {
  const found = text.match(FORBIDDEN) ?? [];
  return [...new Set(found.map((character) => `U+${character.codePointAt(0)?.toString(16)}`))];
}

/** Returns a prompt that creates the file in several ways if a shell runs it. */
export function promptAgainst(file: string): string {
  return `Please note this: $(touch ${file}) and \`touch ${file}\`\n; touch ${file}\n"; touch ${file}; "`;
}
