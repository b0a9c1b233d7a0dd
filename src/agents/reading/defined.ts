/**
 * Finds which names that a turn mentions are defined in the files that it read, searched or edited, so that a memory that
 * names only a function knows its file. Looks at the calls and their results, never at the disk. Pure.
 */
import { definedSymbols, pathIn, printedFiles, type Definition } from '../../core/index.ts';
import { objectsIn, textOf, type JsonObject } from './json.ts';

/** Names that one edit may define; a larger one writes a whole library. */
const MOST_IN_EDIT = 200;
/** Names that one call may report: a turn mentions a few. */
const MOST_NAMES = 20;
/** `src/auth.ts:12:export function rotate(`, as grep and rg print it. */
const FOUND_LINE = /^([^\s:][^:\n]{0,300}\.\w{1,10})[:-]\d+[:-](.*)$/;
/** A word of a command that is a file rather than a pattern. */
const FILE_NAME = /\.\w{1,10}$/;

/** Returns the names that the text of an edit defines, of which the turn may mention some. */
export function definedByEdit(input: JsonObject): readonly string[] {
  const texts = [input, ...objectsIn(input['edits'])].flatMap((edit) =>
    ['content', 'new_string', 'old_string', 'new_source'].flatMap((key) => textOf(edit[key]) ?? []),
  );
  return texts.flatMap((text) => definedSymbols(text)).slice(0, MOST_IN_EDIT);
}

export interface Looked {
  /** The file of the call, if it has one. */
  readonly file?: string;
  readonly command?: string;
  /** The result's text; an edit has none. */
  readonly text?: string;
  /** Names that its own text defines. */
  readonly edited?: readonly string[];
}

export function definitionsIn(
  { file, command = '', text = '', edited = [] }: Looked,
  mentioned: ReadonlySet<string>,
  cwd: string,
): readonly Definition[] {
  if (mentioned.size === 0) return [];
  const found = new Map<string, Set<string>>();
  const add = (path: string, names: readonly string[]): void => {
    const at = pathIn(cwd, path);
    const known = found.get(at) ?? new Set();
    for (const name of names) known.add(name);
    if (known.size > 0) found.set(at, known);
  };
  if (file !== undefined) {
    add(
      file,
      edited.filter((name) => mentioned.has(name)),
    );
    add(file, definedSymbols(text, mentioned));
  } else {
    const printed = printedFiles(command, cwd).filter((path) => FILE_NAME.test(path));
    if (printed.length === 1) add(printed[0] ?? '', definedSymbols(text, mentioned));
    for (const line of text.split('\n')) {
      const [, path = '', code = ''] = FOUND_LINE.exec(line) ?? [];
      if (path !== '') add(path, definedSymbols(code, mentioned));
    }
  }
  return [...found].map(([path, names]) => ({ file: path, names: [...names].slice(0, MOST_NAMES) }));
}
