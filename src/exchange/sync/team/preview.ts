/** What would leave the machine if a project were shared: made by the wall that everything passes on its way out. */
import type { Memory, MemoryKind, Project } from '../../../core/index.ts';
import type { SharedStore } from '../index.ts';

/** As many titles as tell what it is about. */
const MOST_TITLES = 10;

type Wall = Pick<typeof import('../index.ts'), 'filterProject' | 'filterOutbound'>;

/** What would leave the machine, exactly as it would. */
export interface SharePreview {
  readonly project: string;
  readonly name: string;
  /** What the team will know the project by. */
  readonly keys: readonly string[];
  readonly server: string;
  readonly team: string;
  readonly entries: number;
  readonly kinds: Readonly<Partial<Record<MemoryKind, number>>>;
  readonly titles: readonly string[];
  /** Secrets taken out on the way, by type. */
  readonly redactions: Readonly<Record<string, number>>;
  /** Entries in which paths of this machine are taken out. */
  readonly withPaths: number;
  /** What waits for a yes stays here. */
  readonly inReview: number;
}

export function previewOf(
  { filterProject, filterOutbound }: Wall,
  project: Project,
  own: readonly Memory[],
  store: SharedStore,
): Omit<SharePreview, 'server' | 'team' | 'inReview'> {
  const { name, keys } = filterProject(project);
  const kinds: Partial<Record<MemoryKind, number>> = {};
  const redactions: Record<string, number> = {};
  const titles: string[] = [];
  let withPaths = 0;
  for (const memory of own) {
    const passed = filterOutbound(memory, store.paths(project.id));
    kinds[memory.kind] = (kinds[memory.kind] ?? 0) + 1;
    if (titles.length < MOST_TITLES) titles.push(passed.content.title);
    if (passed.changed) withPaths++;
    for (const [type, n] of Object.entries(passed.redactions)) redactions[type] = (redactions[type] ?? 0) + n;
  }
  return { project: project.id, name, keys, entries: own.length, kinds, titles, redactions, withPaths };
}
