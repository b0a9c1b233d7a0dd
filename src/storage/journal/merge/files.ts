/** Two versions of a file of the journal and what both came from, as git hands them over, made one. Pure. */
import { fileOf, isForgottenList } from '../folders.ts';
import { joinLists } from '../forgotten-list.ts';
import { mergeDays } from './days.ts';

export interface Versions {
  /** Empty where the two have nothing in common. */
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** `path`: by its name it is known what kind of file it is. Nothing where it is none of ours, or cannot be merged. */
export function mergeFiles({ base, ours, theirs }: Versions, path: string): string | undefined {
  const name = path.replaceAll('\\', '/').split('/');
  const below = name.at(-2) === 'archive' ? name.slice(-2).join('/') : (name.at(-1) ?? '');
  if (isForgottenList(below)) return joinLists(ours, theirs);
  const file = fileOf(below, 'journal');
  if (!file) return undefined;
  const context = { project: file.project, date: file.date, file: path };
  return mergeDays(base.trim() === '' ? null : base, ours, theirs, context);
}
