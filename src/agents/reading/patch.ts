/** Splits the patch of an `apply_patch` tool, as models of OpenAI write it, into its files. Pure; the hook client uses it too. */

export interface FilePatch {
  readonly kind: 'add' | 'update' | 'delete';
  /** Relative to the folder of the call, or absolute. */
  readonly path: string;
  readonly movedTo?: string;
  readonly removed: string;
  readonly added: string;
}

const HEADER = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const MOVE = /^\*\*\* Move to: (.+)$/;
const KINDS = { Add: 'add', Update: 'update', Delete: 'delete' } as const;

/** `*** Update File: a.txt` with its `-` and `+` lines, per file. Empty for a text that is no patch. */
export function filesInPatch(patch: string): readonly FilePatch[] {
  const files: { kind: FilePatch['kind']; path: string; movedTo?: string; lines: string[] }[] = [];
  for (const line of patch.split(/\r?\n/)) {
    const [, kind, path] = HEADER.exec(line) ?? [];
    if (kind !== undefined && path !== undefined)
      files.push({ kind: KINDS[kind as keyof typeof KINDS], path: path.trim(), lines: [] }); // the pattern allows no other word
    const file = files.at(-1);
    const movedTo = MOVE.exec(line)?.[1]?.trim();
    if (file && movedTo !== undefined) file.movedTo = movedTo;
    else if (file) file.lines.push(line);
  }
  return files.map(({ lines, ...file }) => ({ ...file, ...changeOf(lines) }));
}

/** The `-` and `+` lines of a unified diff or a patch, without its context. */
export function changeOf(lines: readonly string[]): Pick<FilePatch, 'removed' | 'added'> {
  const starting = (sign: string): string =>
    lines.flatMap((line) => (line.startsWith(sign) ? [line.slice(1)] : [])).join('\n');
  return { removed: starting('-'), added: starting('+') };
}
