/**
 * Replaces a path of the machine in a text, in every form in which tools write it: with escaped or encoded separators,
 * as a file URL, and as the folder name that Claude Code makes of it. Pure.
 */

/**
 * `maskPath('file:///home/ada/app/a.ts and -home-ada-app', '/home/ada/app', '.')` → `a.ts and .`
 * With `'.'`, what follows the folder stays as a path inside of it. A longer name that begins like the path stays.
 */
export function maskPath(text: string, path: string, by: string): string {
  const forms = formsOf(path);
  if (!forms) return text;
  return text
    .replace(forms.written, (_, separator: string | undefined) =>
      by === '.' && separator !== undefined ? '' : `${by}${separator ?? ''}`,
    )
    .replace(forms.asName, by);
}

interface Forms {
  readonly written: RegExp;
  readonly asName: RegExp;
}

/**
 * `/` and `\`, as they are, percent-encoded, as in JSON or as in HTML; a few of them, because tools escape them and write
 * them twice. No more than a few: a long run takes linear time.
 */
const SEPARATOR = String.raw`(?:(?:\\u00(?:2f|5c)|[\\/]|%(?:25)*(?:2f|5c)|&#(?:x2f|x5c|47|92);){1,8})`;
/** `/home/./ada` is the same path. */
const BETWEEN = String.raw`${SEPARATOR}(?:\.${SEPARATOR})?`;
const FILE_URL = String.raw`(?:file:${SEPARATOR}(?:localhost)?)?`;

/** There are few paths and many texts. */
const known = new Map<string, Forms | undefined>();
const MOST_KNOWN = 1000;

function formsOf(path: string): Forms | undefined {
  if (known.has(path)) return known.get(path);
  if (known.size >= MOST_KNOWN) known.clear();
  const forms = madeFor(path);
  known.set(path, forms);
  return forms;
}

function madeFor(path: string): Forms | undefined {
  const names = path.split(/[\\/]+/).filter((name) => name !== '');
  const [first = '', ...rest] = names;
  if (first === '') return undefined;
  const drive = /^([A-Za-z]):$/.exec(first)?.[1];
  const root = drive
    ? // Git Bash writes C: as /c, and WSL as /mnt/c.
      `(?:${SEPARATOR}?${drive}(?::|%(?:25)*3a)|${SEPARATOR}(?:mnt${SEPARATOR})?${drive})`
    : `${SEPARATOR}${nameForms(first)}`;
  const whole = [root, ...rest.map(nameForms)].join(BETWEEN);
  const name = literal(path.replace(/[\\/]+$/, '').replaceAll(/[^A-Za-z0-9]/g, '-'));
  // `-data` alone is also an option of programs: a single name counts only as a folder of Claude Code.
  const before = names.length > 1 ? '(?<![A-Za-z0-9])' : String.raw`(?<=projects${SEPARATOR})`;
  return {
    written: new RegExp(String.raw`${FILE_URL}${whole}(?:(${SEPARATOR})(?=[\w.@-])|(?![\w.-]*[\w-]))`, 'gi'),
    asName: new RegExp(`${before}${name}(?![A-Za-z0-9])`, 'gi'),
  };
}

/** A name as it is, percent-encoded, or escaped as in JSON or for a shell. */
function nameForms(name: string): string {
  const escaped = JSON.stringify(name)
    .slice(1, -1)
    .replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const encoded = encodeURIComponent(name.toWellFormed());
  const forms = new Set([
    name,
    encoded,
    encoded.replaceAll('%20', '+'),
    encodeURI(name.toWellFormed()),
    escaped,
    name.replaceAll(/[ !"$&'()*;<>?[\]`{|}]/g, String.raw`\$&`),
  ]);
  return `(?:${[...forms].map(literal).join('|')})`;
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
}
