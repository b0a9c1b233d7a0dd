/** The list of files that are searched in place (CLAUDE.md, the client's notes), stored in the index. */
import type { Stores } from '../memory/index.ts';
import type { LedgerRecord } from '../storage/ledger/index.ts';

export type SourceRecord = Extract<LedgerRecord, { kind: 'source' }>;

const META = 'sources';

export interface KnownSource {
  readonly path: string;
  readonly project: string;
  /** State of the file at the last read. */
  readonly stamp: string;
}

export function applySource(index: Stores['index'], { path, project }: SourceRecord): void {
  const known = sourcesIn({ index }).filter((source) => source.path !== path);
  writeSources(index, [...known, { path, project, stamp: '' }]);
}

export function writeSources(index: Stores['index'], sources: readonly KnownSource[]): void {
  index.setMeta(META, JSON.stringify(sources));
}

export function sourcesIn({ index }: Pick<Stores, 'index'>): readonly KnownSource[] {
  return JSON.parse(index.meta(META) ?? '[]') as KnownSource[]; // written above
}
