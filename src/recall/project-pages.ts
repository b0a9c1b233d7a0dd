/** Writes the pages of projects whose memories changed, a moment later and all at once: nothing waits for it. */
import { Mutex } from '../files/index.ts';
import type { ProjectPageWriter, Stores } from '../memory/index.ts';
import { renderProjectPage } from '../storage/journal/index.ts';
import { projectPageOf } from './project-page.ts';

/** A session's turns come in bursts; one page at the end of each is enough. */
const SETTLE_MS = 1500;

export class ProjectPages implements ProjectPageWriter {
  readonly #stores: () => Pick<Stores, 'index' | 'journal'>;
  readonly #changed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  readonly #writes = new Mutex();

  constructor(stores: () => Pick<Stores, 'index' | 'journal'>) {
    this.#stores = stores;
  }

  touch(project: string): void {
    this.#changed.add(project);
    this.#timer ??= setTimeout(() => void this.flush().catch(() => {}), SETTLE_MS).unref(); // told by the next flush
  }

  /** Writes what is to be written; resolves when it stands. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return this.#writes.run(async () => {
      for (const project of this.#changed) {
        this.#changed.delete(project); // touched again while it is written, it is written again
        await this.#write(project);
      }
    });
  }

  async #write(project: string): Promise<void> {
    const { index, journal } = this.#stores();
    const sections = projectPageOf(index, project);
    const isEmpty = sections.every(({ lines }) => lines.length === 0);
    const name = index.project(project)?.name ?? project;
    const options = {
      title: `${name}: what to know now`,
      erased: (key: string): boolean => index.isForgotten(key),
    };
    await journal.changeProjectPage(project, (text) =>
      text === null && isEmpty ? null : renderProjectPage(text, sections, options),
    );
  }
}
