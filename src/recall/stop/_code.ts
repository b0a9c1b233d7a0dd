/** Counts a name in code: not in comments, not in sentences between quotation marks. Pure, one pass. */

type Style = 'c' | 'hash' | 'dash' | 'markup' | 'prose';

const STYLES: readonly (readonly [RegExp, Style])[] = [
  [/\.(?:md|mdx|markdown|txt|rst|adoc|org|log|patch|diff)$/i, 'prose'],
  [/\.(?:py|rb|sh|bash|zsh|fish|ya?ml|toml|pl|r|exs?|jl|tf|nix|cfg|ini|conf|properties)$/i, 'hash'],
  [/(?:^|\/)(?:Dockerfile|Makefile|Gemfile|Rakefile|\.[\w.]+(?:rc|ignore))$/, 'hash'],
  [/\.(?:sql|lua|hs|elm|ada)$/i, 'dash'],
  [/\.(?:html?|xml|svg)$/i, 'markup'],
];

/** How often the code mentions the name as a whole. Undefined for a file of prose, where a mention is no use. */
export function usesOf(name: string, code: string, file: string): number | undefined {
  const style = STYLES.find(([pattern]) => pattern.test(file))?.[1] ?? 'c';
  if (style === 'prose') return undefined;
  const plain = withoutTalk(code, style);
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return [...plain.matchAll(new RegExp(`(?<![\\w$.@/-])${escaped}(?![\\w$]|-\\w)`, 'g'))].length;
}

const OPENING: Readonly<Record<Exclude<Style, 'prose'>, RegExp>> = {
  c: /\/\/|\/\*|"""|'''|["'`]/g,
  hash: /#|"""|'''|["'`]/g,
  dash: /--|\/\*|["'`]/g,
  markup: /<!--|\/\*|["'`]/g,
};

/** A snippet may begin inside a comment: ` * never use lodash.merge`. */
const COMMENT_LINE = /^[ \t]*\*(?:[ \t].*)?$/gm;

function withoutTalk(given: string, style: Exclude<Style, 'prose'>): string {
  const code = style === 'c' ? given.replace(COMMENT_LINE, '') : given;
  const opening = OPENING[style];
  let kept = '';
  let at = 0;
  for (;;) {
    opening.lastIndex = at;
    const found = opening.exec(code);
    if (!found) return kept + code.slice(at);
    kept += code.slice(at, found.index);
    const [open] = found;
    const start = found.index + open.length;
    const close = CLOSING[open] ?? open;
    const end = code.indexOf(close, start);
    const isLine = close === '\n' || (open.length === 1 && open !== '`');
    const lineEnd = code.indexOf('\n', start);
    // A quotation mark without its partner on the line is an apostrophe.
    if (open.length === 1 && isLine && close !== '\n' && (end === -1 || (lineEnd !== -1 && end > lineEnd))) {
      kept += open;
      at = start;
      continue;
    }
    const stop = end === -1 ? code.length : end;
    const inside = code.slice(start, stop);
    // `'lodash.merge'` names a module; a text with spaces is a sentence.
    if (QUOTES.has(open) && !/\s/.test(inside)) kept += `${open}${inside}${open}`;
    else kept += ' ';
    at = Math.min(code.length, stop + (close === '\n' ? 0 : close.length));
  }
}

const CLOSING: Readonly<Record<string, string>> = {
  '//': '\n',
  '#': '\n',
  '--': '\n',
  '/*': '*/',
  '<!--': '-->',
};
const QUOTES = new Set(['"', "'", '`']);
