/** Fills the sections of a brief within its tokens. */
import { tokenCost } from './render.ts';

export interface Line {
  /** Rendered when it is packed, because it depends on the lines before it. */
  readonly text: () => string;
  readonly memory?: string;
  /** The full text, to leave out duplicates: two members of a team may have stored the same. */
  readonly says?: string;
}

interface Section {
  readonly title: string;
  /** Share of the tokens. */
  readonly share: number;
  /** `listed`: by title only. */
  readonly as?: 'injected' | 'listed';
  /** Its first line may exceed the share: one line is worth more than the sections below. */
  readonly atLeastOne?: boolean;
}

/** Fills sections up to their share of the tokens. Tokens left by a section are available to the next. */
export class Pack {
  readonly injected = new Set<string>();
  readonly listed = new Set<string>();
  readonly #budget: number;
  readonly #maxUnits: number;
  readonly #parts: string[] = [];
  readonly #texts = new Set<string>();
  #tokens = 0;
  #units = 0;
  #end = 0;

  constructor(limit: { readonly tokens: number; readonly units: number }) {
    this.#budget = limit.tokens;
    this.#maxUnits = limit.units;
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  get text(): string {
    return this.#parts.join('\n\n');
  }

  has(memory: string): boolean {
    return this.injected.has(memory) || this.listed.has(memory);
  }

  /** Returns whether the section has a line. */
  add({ title, share, as = 'injected', atLeastOne = false }: Section, lines: readonly Line[]): boolean {
    this.#end = Math.min(1, this.#end + share);
    const limit = (isFirst: boolean): number => this.#budget * (isFirst && atLeastOne ? 1 : this.#end);
    const packed: string[] = [`## ${title}`];
    let tokens = this.#tokens + tokenCost(packed[0] ?? '');
    let units = this.#units + title.length + 5;
    for (const { text, memory, says } of lines) {
      if (memory !== undefined && this.has(memory)) continue;
      if (says !== undefined && this.#texts.has(says)) continue;
      const line = text();
      tokens += tokenCost(line) + 1;
      units += line.length + 1;
      if (tokens > limit(packed.length === 1) || units > this.#maxUnits) break;
      packed.push(line);
      this.#tokens = tokens;
      this.#units = units;
      if (memory !== undefined) this[as].add(memory);
      if (says !== undefined) this.#texts.add(says);
    }
    if (packed.length > 1) this.#parts.push(packed.join('\n'));
    return packed.length > 1;
  }
}
