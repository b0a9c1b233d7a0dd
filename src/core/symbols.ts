/** Names of code in text: which names a sentence mentions, and which of them a piece of code defines. Pure. */

/** Shorter names are in every file. */
const SHORTEST = 4;
/** Longer lines are minified or data. */
const LONGEST_LINE = 400;
/** Lines of a file that the agent reads at once, several times over. */
const MOST_LINES = 20_000;

const NAME = String.raw`[\p{L}_$][\p{L}\p{N}_$]*`;
/** `Index::contains`, `store.rotate(token)`, `#retry` between backticks, without spaces before a parenthesis. */
const IN_BACKTICKS = new RegExp(
  String.raw`\x60#?((?:${NAME}(?:\.|::|->|#))*${NAME})(?:\([^\x60\n]{0,80}\))?\x60`,
  'gu',
);
/** `rotateToken`, `TokenStore`, `rotate_token`, `rotate()`: no words of a language. */
const IN_PROSE = new RegExp(
  String.raw`(?<![\p{L}\p{N}_$])(?:(${NAME})\(\)|(\p{L}+_[\p{L}\p{N}_$]+|\p{Ll}+\p{Lu}[\p{L}\p{N}_$]*|\p{Lu}[\p{Ll}\p{N}]+\p{Lu}[\p{L}\p{N}_$]*))(?![\p{L}\p{N}_$])`,
  'gu',
);

/** `namedSymbols('call rotateToken() in the store')` → `rotateToken`. A plain word counts in backticks or with `()`. */
export function namedSymbols(text: string): ReadonlySet<string> {
  const quoted = [...text.matchAll(IN_BACKTICKS)].flatMap(([, path = '']) => path.split(/\.|::|->|#/));
  const plain = [...text.matchAll(IN_PROSE)].map(([, called, word]) => called ?? word ?? '');
  return new Set([...quoted, ...plain].filter((name) => name.length >= SHORTEST));
}

const DEFINITIONS = [
  // function rotate(, class Store, fn rotate, func (s *Store) Rotate(, def self.rotate, create table tokens
  new RegExp(
    String.raw`\b(?:function\*?|class|interface|type|enum|struct|trait|module|namespace|def|fn|func|fun|sub|record|protocol|table|view|procedure)\s+(?:\([^)]{0,80}\)\s*)?(?:self\.|${NAME}(?:\.|::))?(${NAME})`,
    'iu',
  ),
  // const rotate =, let rotate: Rotate =, static ROTATE =
  new RegExp(String.raw`\b(?:const|let|var|val|static)\s+(?:mut\s+)?(${NAME})\s*(?::[^=]{0,120})?=`, 'u'),
  // rotate: async (token) =>, exports.rotate = function
  new RegExp(String.raw`(${NAME})\s*[:=]\s*(?:async\s+)?(?:function\b|\([^()]{0,200}\)\s*=>)`, 'u'),
  // A method: public async rotate(token: Token): Promise<void> {
  new RegExp(
    String.raw`^\s*(?:${NAME}\s+){0,4}#?(${NAME})\s*\([^;]{0,200}\)\s*(?:(?::|->|throws)[^{;]{1,80})?\{\s*$`,
    'u',
  ),
];
const KEYWORDS = new Set(['switch', 'while', 'catch', 'return', 'function', 'else', 'elif', 'match', 'with']);
/** The client numbers the lines of a file. */
const LINE_NUMBER = /^\s*\d+[→\t]/;

/** Returns the names that the code defines; with `wanted`, only those. */
export function definedSymbols(code: string, wanted?: ReadonlySet<string>): readonly string[] {
  if (wanted?.size === 0) return [];
  const found = new Set<string>();
  for (const numbered of code.split('\n', MOST_LINES)) {
    if (numbered.length > LONGEST_LINE) continue;
    const line = numbered.replace(LINE_NUMBER, '');
    for (const definition of DEFINITIONS) {
      const name = definition.exec(line)?.[1];
      if (name === undefined || name.length < SHORTEST || KEYWORDS.has(name)) continue;
      if (wanted === undefined || wanted.has(name)) found.add(name);
    }
  }
  return [...found];
}
