/**
 * Splits a shell script into pipelines of simple commands: words without their quotes, redirections apart. Comments and
 * here-documents are skipped. Expands nothing: `$x`, `$(…)` and globs stay as written. Pure, linear, never throws.
 */

export interface SimpleCommand {
  readonly words: readonly string[];
  /** Files that its standard output is redirected to. */
  readonly writes: readonly string[];
  /** Files that are its standard input. */
  readonly reads: readonly string[];
}

export type Pipeline = readonly SimpleCommand[];

/** A longer script is data, such as a here-document; what follows is not looked at. */
const LONGEST_SCRIPT = 20_000;

export function pipelinesOf(script: string): readonly Pipeline[] {
  return new Parser(script.slice(0, LONGEST_SCRIPT)).run();
}

type Redirect = 'writes' | 'reads' | 'none';

class Parser {
  readonly #text: string;
  readonly #pipelines: SimpleCommand[][] = [];
  #at = 0;
  #pipeline: SimpleCommand[] = [];
  #words: string[] = [];
  #files: { readonly to: 'writes' | 'reads'; readonly file: string }[] = [];
  #word: string | undefined;
  #redirect: Redirect | undefined;
  /** Ends of here-documents that begin with the next line. */
  #ends: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  run(): readonly Pipeline[] {
    while (this.#at < this.#text.length) this.#step();
    this.#endPipeline();
    return this.#pipelines;
  }

  #step(): void {
    const char = this.#text.charAt(this.#at);
    switch (char) {
      case ' ':
      case '\t':
      case '\r':
        this.#endWord();
        break;
      case '\n':
        this.#endPipeline();
        this.#skipDocuments();
        break;
      case ';':
      case '(':
      case ')':
        this.#endPipeline();
        break;
      case '|':
      case '&':
        return this.#operator(char);
      case '<':
      case '>':
        return this.#redirection(char);
      case '#':
        if (this.#word === undefined) return this.#skipComment();
        this.#add(char);
        break;
      case "'":
        return this.#quoted();
      case '"':
        return this.#doubleQuoted();
      case '\\':
        // A backslash before a newline joins the lines.
        if (this.#text.charAt(this.#at + 1) !== '\n') this.#add(this.#text.charAt(this.#at + 1));
        this.#at++;
        break;
      case '$':
        if (this.#text.charAt(this.#at + 1) === '(') return this.#add(this.#substitution());
        this.#add(char);
        break;
      default:
        this.#add(char);
    }
    this.#at++;
  }

  #add(text: string): void {
    this.#word = (this.#word ?? '') + text;
  }

  #operator(char: '|' | '&'): void {
    const next = this.#text.charAt(this.#at + 1);
    if (char === '&' && next === '>') {
      this.#at++; // `&>file`
      return this.#redirection('>');
    }
    const isPipe = char === '|' && next !== '|';
    if (isPipe) this.#endCommand();
    else this.#endPipeline();
    this.#at += next === char || (isPipe && next === '&') ? 2 : 1;
  }

  #redirection(char: '<' | '>'): void {
    // `2>` is no output that anyone reads; `1>` is.
    const stream = /^\d$/.test(this.#word ?? '') ? this.#word : undefined;
    if (stream === undefined) this.#endWord();
    else this.#word = undefined;
    const rest = this.#text.slice(this.#at, this.#at + 4);
    const document = /^<<-?(?!<)/.exec(rest)?.[0];
    if (document !== undefined) {
      this.#at += document.length;
      return this.#document();
    }
    const sign = /^(?:<<<|<>|>>|>\||[<>]&|[<>])/.exec(rest)?.[0] ?? char;
    this.#at += sign.length;
    const isOther = sign.endsWith('&') || sign === '<<<' || (stream !== undefined && stream > '1');
    this.#redirect = isOther ? 'none' : char === '<' ? 'reads' : 'writes';
  }

  #document(): void {
    const name = /^[ \t]*(?:'([^'\n]*)'|"([^"\n]*)"|\\?([^\s;|&<>()'"]+))/.exec(
      this.#text.slice(this.#at, this.#at + 200),
    );
    if (!name) return;
    this.#at += name[0].length;
    this.#ends.push(name[1] ?? name[2] ?? name[3] ?? '');
  }

  #skipDocuments(): void {
    for (const end of this.#ends.splice(0)) {
      // Leaves `#at` on the newline before the next line.
      while (this.#at < this.#text.length) {
        const start = this.#at + 1;
        const stop = this.#text.indexOf('\n', start);
        const line = this.#text.slice(start, stop === -1 ? undefined : stop);
        this.#at = stop === -1 ? this.#text.length : stop;
        if (line.trim() === end) break;
      }
    }
  }

  #skipComment(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end === -1 ? this.#text.length : end;
  }

  #quoted(): void {
    const end = this.#text.indexOf("'", this.#at + 1);
    this.#add(this.#text.slice(this.#at + 1, end === -1 ? undefined : end));
    this.#at = end === -1 ? this.#text.length : end + 1;
  }

  #doubleQuoted(): void {
    this.#add('');
    this.#at++;
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at);
      if (char === '"') break;
      if (char === '$' && this.#text.charAt(this.#at + 1) === '(') {
        this.#add(this.#substitution());
        continue;
      }
      if (char === '\\' && '"\\$`\n'.includes(this.#text.charAt(this.#at + 1))) this.#at++;
      this.#add(this.#text.charAt(this.#at));
      this.#at++;
    }
    this.#at++;
  }

  /** `$(…)` as written: what runs inside is not looked at. */
  #substitution(): string {
    const start = this.#at;
    let depth = 0;
    for (; this.#at < this.#text.length; this.#at++) {
      const char = this.#text.charAt(this.#at);
      if (char === '(') depth++;
      if (char === ')' && --depth === 0) break;
    }
    return this.#text.slice(start, ++this.#at);
  }

  #endWord(): void {
    const word = this.#word;
    this.#word = undefined;
    if (word === undefined) return;
    const redirect = this.#redirect;
    this.#redirect = undefined;
    if (redirect === undefined) this.#words.push(word);
    else if (redirect !== 'none') this.#files.push({ to: redirect, file: word });
  }

  #endCommand(): void {
    this.#endWord();
    this.#redirect = undefined;
    const files = this.#files.splice(0);
    const of = (to: 'writes' | 'reads') => files.flatMap((one) => (one.to === to ? [one.file] : []));
    const words = this.#words.splice(0);
    if (words.length > 0 || files.length > 0)
      this.#pipeline.push({ words, writes: of('writes'), reads: of('reads') });
  }

  #endPipeline(): void {
    this.#endCommand();
    if (this.#pipeline.length > 0) this.#pipelines.push(this.#pipeline);
    this.#pipeline = [];
  }
}
