/** Finds the project for a peer's data by folder, transcript or name, or creates one for the name. */
import { basename, join } from 'node:path';
import { claudeSlug, readerOf, type TranscriptFile } from '../../agents/index.ts';
import { namedProject, lookUpProject, projectOfFolder, type CaptureScope } from '../../capture/index.ts';
import { FIRST_AGENT, PERSONAL_PROJECT, type Project } from '../../core/index.ts';
import { personalProject, type Stores } from '../../memory/index.ts';
import type { PeerProject } from './peer.ts';
import { clientFolders } from './peers.ts';

/** Peers record sessions of the first agent. */
const READER = readerOf(FIRST_AGENT);

export interface Placed {
  readonly project: string;
  readonly name: string;
  /** Its folder on this machine; files are named relative to it. */
  readonly root?: string;
  readonly ignored: boolean;
}

interface PlacesOptions {
  readonly peer: string;
  readonly configDir: string;
  readonly home: string;
  /** Folder of the project for data that names no folder of this machine. */
  readonly into?: string;
  readonly scope: CaptureScope;
  readonly dryRun: boolean;
}

export class PeerProjects {
  readonly #stores: Stores;
  readonly #options: PlacesOptions;
  readonly #byFolder = new Map<string, Placed>();
  readonly #byName = new Map<string, Placed>();
  #transcripts: ReadonlyMap<string, TranscriptFile> | undefined;

  constructor(stores: Stores, options: PlacesOptions) {
    this.#stores = stores;
    this.#options = options;
  }

  async of(place: PeerProject, session: string, at: string): Promise<Placed> {
    if (place.personal) {
      if (!this.#options.dryRun) await personalProject(this.#stores, at);
      return { project: PERSONAL_PROJECT, name: PERSONAL_PROJECT, ignored: false };
    }
    const known = session === '' ? undefined : this.#stores.index.session(session);
    const project = known && this.#stores.index.project(known.project);
    if (project) return placedAs(project, known.worktree);
    if (place.dir !== undefined && isClientFolder(place.dir, this.#options.configDir))
      return this.of({ ...place, personal: true }, '', at);
    const dir =
      place.dir ?? this.#bySlug(place.slug) ?? (await this.#folderOf(session)) ?? this.#options.into;
    return dir === undefined ? this.#named(place.name, at) : this.#folder(dir, at);
  }

  /** Whether the client's transcript of a session still exists. */
  hasTranscript(session: string): boolean {
    this.#transcripts ??= new Map(
      READER.find(this.#options.configDir).files.map((file) => [basename(file.path, '.jsonl'), file]),
    );
    return this.#transcripts.has(session);
  }

  async #folderOf(session: string): Promise<string | undefined> {
    if (session === '' || !this.hasTranscript(session)) return undefined;
    const file = this.#transcripts?.get(session);
    const described = file && (await READER.describe(file));
    return typeof described === 'object' ? described.projectDir : undefined;
  }

  #bySlug(slug: string | undefined): string | undefined {
    if (slug === undefined) return undefined;
    const { configDir, home } = this.#options;
    const known = this.#stores.index.projects().flatMap(({ paths }) => paths);
    return [...known, ...clientFolders(configDir, home)].find((folder) => claudeSlug(folder) === slug);
  }

  async #folder(dir: string, at: string): Promise<Placed> {
    const known = this.#byFolder.get(dir);
    if (known) return known;
    const { scope, dryRun } = this.#options;
    const resolved = dryRun
      ? await lookUpProject(this.#stores, dir, scope)
      : await projectOfFolder(this.#stores, dir, at, scope);
    const placed = { ...placedAs(resolved.project, resolved.root), ignored: resolved.ignored };
    this.#byFolder.set(dir, placed);
    return placed;
  }

  async #named(name: string, at: string): Promise<Placed> {
    const known = this.#byName.get(name);
    if (known) return known;
    const placed = await this.#byNameAlone(name, at);
    this.#byName.set(name, placed);
    return placed;
  }

  async #byNameAlone(name: string, at: string): Promise<Placed> {
    const { peer, configDir, home, dryRun } = this.#options;
    const isNamed = (folder: string): boolean => folder === name || basename(folder) === name;
    const made = namedProject(peer, name);
    const projects = this.#stores.index.projects();
    // By its key too: an id from an earlier version may have been made from the name in another way.
    const before = projects.find(
      ({ id, keys }) => id === made.id || made.keys.some((key) => keys.includes(key)),
    );
    if (before) return placedAs(before);
    const alike = projects.filter((project) => project.name === name || project.paths.some(isNamed));
    const [only] = alike;
    if (only && alike.length === 1) return placedAs(only, only.paths[0]);
    const folders = clientFolders(configDir, home).filter(isNamed);
    const [folder] = folders;
    if (folder !== undefined && folders.length === 1) return this.#folder(folder, at);
    if (!dryRun) {
      await this.#stores.ledger.append({ kind: 'project', at, project: made });
      this.#stores.index.upsertProject(made);
    }
    return placedAs(made);
  }
}

/** The user's CLAUDE.md is stored in the client's folder and applies to every project. */
function isClientFolder(dir: string, configDir: string): boolean {
  return dir === configDir || join(dir, '.claude') === configDir;
}

function placedAs({ id, name }: Project, root?: string): Placed {
  return { project: id, name, ignored: false, ...(root ? { root } : {}) };
}
