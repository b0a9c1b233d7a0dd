/** Describes the data that stays after an uninstall. Only reads, and follows no link. */
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Places } from '../core/index.ts';
import { namesIn } from '../files/index.ts';
import { targetOf } from '../storage/journal/index.ts';

export interface Kept {
  readonly folder: string;
  readonly bytes: number;
  /** Folders elsewhere to which journals were moved, such as a repository. */
  readonly journals: readonly string[];
}

/** Undefined if there is no data folder. */
export function keptData({ home, journal }: Pick<Places, 'home' | 'journal'>): Kept | undefined {
  if (!existsSync(home)) return undefined;
  const journals = namesIn(journal).flatMap((project) => targetOf(journal, project) ?? []);
  return { folder: home, bytes: sizeOf(home), journals: journals.filter((path) => existsSync(path)) };
}

/** A folder that cannot be read counts as empty: a size must not stop an uninstall. */
function sizeOf(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.isFile() ? stat.size : 0;
  try {
    return namesIn(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
  } catch {
    return 0;
  }
}
