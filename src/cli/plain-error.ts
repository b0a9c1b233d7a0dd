/** Turns an error into plain words: system errors about files get a message and a hint. */
import { TidemarkError } from '../core/index.ts';

export interface PlainError {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

const FILE_TROUBLES: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  ENOENT: ['no such file or folder', 'Check the path; its folder must exist.'],
  EACCES: ['permission denied', 'Check its owner and its permissions.'],
  EPERM: ['permission denied', 'Check its owner and its permissions.'],
  EROFS: ['the disk is read-only', 'Choose another place.'],
  EISDIR: ['it is a folder', 'Name a file.'],
  ENOTDIR: ['a part of the path is not a folder', 'Check the path.'],
  ENOSPC: ['the disk is full', 'Free some space, then try again.'],
};

export function plainError(error: unknown): PlainError {
  if (error instanceof TidemarkError)
    return {
      code: error.code,
      message: firstLine(error.message),
      ...(error.hint ? { hint: error.hint } : {}),
    };
  const { code, path } = (error ?? {}) as { code?: unknown; path?: unknown };
  const known = typeof code === 'string' ? FILE_TROUBLES[code] : undefined;
  if (known && typeof path === 'string')
    return { code: String(code), message: `${path}: ${known[0]}`, hint: known[1] };
  return {
    code: typeof code === 'string' ? code : 'internal',
    message: firstLine(error instanceof Error ? error.message : String(error)),
  };
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? '';
}
