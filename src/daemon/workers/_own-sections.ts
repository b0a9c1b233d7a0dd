/** Chooses the folders whose own files of agents (CLAUDE.md, AGENTS.md, their memory) a search or a brief looks at. */
import { homedir } from 'node:os';
import { isExcluded, sourcesIn } from '../../capture/index.ts';
import { loadConfig } from '../../config/index.ts';
import { TidemarkError, type Agent, type Places, type Project } from '../../core/index.ts';
import type { MemoryIndex } from '../../database/index.ts';
import {
  alsoWritten,
  OwnFiles,
  parseQuery,
  type Hit,
  type IndexedSection,
  type OwnSection,
  type SectionFound,
} from '../../recall/index.ts';

interface Where {
  readonly dir?: string;
  readonly project?: string;
  /** Every project, not only the one of the folder. */
  readonly all?: boolean;
}

export class OwnSections {
  readonly #files = new OwnFiles(process.env);
  readonly #places: Places;
  readonly #index: () => MemoryIndex;
  /** Returns the project of a folder and the root of its work tree. */
  readonly #place: (dir: string) => { readonly project: { readonly id: string }; readonly root: string };

  constructor(
    places: Places,
    index: () => MemoryIndex,
    place: (dir: string) => { readonly project: { readonly id: string }; readonly root: string },
  ) {
    this.#places = places;
    this.#index = index;
    this.#place = place;
  }

  /** Sections that match a query: of the caller's project, of the one that the query names, or of all. */
  search(query: string, hits: readonly Hit[], where: Where): readonly SectionFound[] {
    const now = new Date();
    const { project: named } = parseQuery(query, now);
    const sections = this.#sections(named === undefined ? where : { project: named });
    const known = (tokens: readonly string[]) => this.#index().memoryFrequencies(tokens);
    return alsoWritten(sections, query, hits, { now, known });
  }

  /** A section by its id, or the beginning of one, in the caller's project or in any. */
  byId(id: string, where: Where): OwnSection {
    const found = [where, {}].flatMap((place) =>
      this.#sections(place).filter(({ section }) => section.id.startsWith(id)),
    );
    const [one] = found;
    if (one) return one.section;
    throw new TidemarkError('not-found', `there is no section ${id}`, {
      hint: 'Its file or its heading changed. Search again.',
    });
  }

  /** The lines that an agent loads itself in the project of this folder. */
  loadedBy(agent: Agent, dir: string): ReadonlySet<string> {
    return this.#files.loadedLines(agent, [...new Set([dir, this.#place(dir).root])]);
  }

  #sections(where: Where): readonly IndexedSection[] {
    // A file that was imported in place is searched as memories.
    const imported = new Set(sourcesIn({ index: this.#index() }).map(({ path }) => path));
    return this.#files.sections(this.#roots(where), imported);
  }

  #roots({ dir, project, all = false }: Where): readonly string[] {
    const projects = this.#index().projects();
    const own = dir === undefined ? undefined : this.#place(dir);
    const id = project ?? own?.project.id;
    const isMeant = (one: Project): boolean => all || id === undefined || one.id === id || one.name === id;
    const meant = projects.filter(isMeant);
    const paths = meant.flatMap((one) => one.paths);
    const here = project === undefined && dir !== undefined && own ? [dir, own.root] : [];
    const { values } = loadConfig({ places: this.#places, env: process.env });
    const scope = { ignore: values['capture.ignore'], userHome: homedir() };
    return [...new Set([...here, ...paths])].filter((root) => !isExcluded(root, scope));
  }
}
