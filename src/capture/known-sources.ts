/** The list of files and folders that are searched in place (CLAUDE.md, the client's notes, folders of notes), stored in the index. */
import { given } from '../core/index.ts';
import type { Stores } from '../memory/index.ts';
import type { LedgerRecord } from '../storage/ledger/index.ts';

export type SourceRecord = Extract<LedgerRecord, { kind: 'source' }>;

const META = 'sources';

export interface KnownSource {
  readonly path: string;
  readonly project: string;
  /** State of the file at the last read. */
  readonly stamp: string;
  /** A folder of notes. */
  readonly isFolder?: true;
  /** The files of a folder at the last read, each with its state. */
  readonly files?: Readonly<Record<string, string>>;
}

export function applySource(
  index: Stores['index'],
  { path, project, isFolder, isRemoved }: SourceRecord,
): void {
  const known = sourcesIn({ index }).filter((source) => source.path !== path);
  const source = { path, project, stamp: '', ...given({ isFolder }) };
  writeSources(index, isRemoved ? known : [...known, source]);
}

export function writeSources(index: Stores['index'], sources: readonly KnownSource[]): void {
  index.setMeta(META, JSON.stringify(sources));
}

export function sourcesIn({ index }: Pick<Stores, 'index'>): readonly KnownSource[] {
  return JSON.parse(index.meta(META) ?? '[]') as KnownSource[]; // written above
}
