/** Generates memories, vectors and queries from a seed, for measuring time and size. They say nothing about quality. */
import { memoryId, MEMORY_KINDS } from '../src/core/index.ts';
import type { MemoryEntry } from '../src/database/index.ts';
import { randomFrom } from '../test/support/random.ts';

export const DIMENSIONS = 384;

const VOCABULARY = 40_000;
const PROJECTS = 20;
const PER_SESSION = 5;
const CLUSTERS = 300;

export class Synthetic {
  readonly #random: () => number;
  readonly #words: readonly string[];
  readonly #centres: readonly Float32Array[];

  constructor(seed: number) {
    this.#random = randomFrom(seed).next;
    this.#words = Array.from({ length: VOCABULARY }, () => this.#word());
    this.#centres = Array.from({ length: CLUSTERS }, () => this.#gauss(DIMENSIONS));
  }

  memory(i: number): MemoryEntry {
    const at = new Date(Date.UTC(2024, 0, 1) + i * 60_000).toISOString();
    const turn = `turn-${i}`;
    const kind = MEMORY_KINDS[i % MEMORY_KINDS.length] ?? 'discovery';
    return {
      memory: {
        id: memoryId(at, turn, kind, 0),
        kind,
        state: kind === 'issue' ? 'open' : 'current',
        title: this.text(8),
        body: this.text(25),
        facts: [this.text(10)],
        concepts: [this.text(1)],
        files: [`src/${this.text(1)}/${this.text(1)}.ts`],
        project: this.project(i),
        at,
        provenance: {
          agent: 'bench',
          session: `session-${Math.floor(i / PER_SESSION)}`,
          turn,
          messages: [],
          by: 'bench',
        },
      },
    };
  }

  project(i: number): string {
    return `project-${Math.floor(i / PER_SESSION) % PROJECTS}`;
  }

  /** Word frequencies as in a language: the n-th word occurs 1/n as often as the first. */
  text(length: number): string {
    return Array.from({ length }, () => this.#words[Math.floor(VOCABULARY ** this.#random()) - 1] ?? '').join(
      ' ',
    );
  }

  /** Vectors cluster around subjects, as those of texts do. */
  vector(): Float32Array {
    const centre = this.#centres[Math.floor(this.#random() * CLUSTERS)] ?? new Float32Array(DIMENSIONS);
    const noise = this.#gauss(DIMENSIONS);
    const vector = centre.map((value, i) => value + (noise[i] ?? 0));
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  }

  #word(): string {
    const letters = 'etaoinshrdlucmfwypvbgk';
    const size = 4 + Math.floor(this.#random() * 6);
    return Array.from({ length: size }, () => letters[Math.floor(this.#random() * letters.length)]).join('');
  }

  #gauss(length: number): Float32Array {
    return Float32Array.from({ length }, () => {
      const [a, b] = [this.#random() || 1e-9, this.#random()];
      return Math.sqrt(-2 * Math.log(a)) * Math.cos(2 * Math.PI * b);
    });
  }
}
