/** Code fences of Markdown: lines inside them are not structure. */

export interface Fence {
  readonly mark: string;
  readonly length: number;
}

/** Text before a fence on its line: blanks and the bullets of its list. */
const BEFORE = '[ \\t]*(?:(?:[-*+]|\\d{1,9}[.)])[ \\t]+)*';
const OPENS = new RegExp(`^${BEFORE}(\`{3,}(?=[^\`]*$)|~{3,})`);
const CLOSES = /^[ \t]*(`{3,}|~{3,})[ \t]*$/;

/** A fence, possibly escaped: blanks and bullets, backslashes, the fence itself. */
export const FENCE_LIKE = new RegExp(`^(${BEFORE})(\\\\*)(\`{3,}|~{3,})`);

export function opensFence(line: string): Fence | undefined {
  if (!line.includes('```') && !line.includes('~~~')) return undefined;
  const run = OPENS.exec(line)?.[1];
  return run ? { mark: run.charAt(0), length: run.length } : undefined;
}

export function closesFence(line: string, fence: Fence): boolean {
  const run = CLOSES.exec(line)?.[1];
  return run !== undefined && run.startsWith(fence.mark) && run.length >= fence.length;
}

export interface FencedLine {
  readonly line: string;
  /** `opener` starts a fence; `inside` is code or the closing line. */
  readonly fence: 'none' | 'opener' | 'inside';
}

/** Marks each line; an unclosed fence continues to the end, as in Markdown. */
export function markFences(lines: readonly string[]): readonly FencedLine[] {
  let open: Fence | undefined;
  return lines.map((line) => {
    if (open) {
      if (closesFence(line, open)) open = undefined;
      return { line, fence: 'inside' };
    }
    open = opensFence(line);
    return { line, fence: open ? 'opener' : 'none' };
  });
}
