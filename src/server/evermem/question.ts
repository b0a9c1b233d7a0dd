/** What a client of EverMem wants to read, whichever version of the format it speaks. */
import type { MemoryKind } from '../../core/index.ts';

interface Scope {
  /** As the client names them; none: everything shared with who asks. */
  readonly groups: readonly string[];
  /** Echoed; who asks is known by the key. */
  readonly user: string;
  /** None at all: a type that is never made here. */
  readonly kinds?: readonly MemoryKind[] | undefined;
}

export interface Listing extends Scope {
  readonly limit: number;
  readonly offset: number;
}

export interface Question extends Scope {
  readonly text: string;
  readonly limit: number;
  /** What is less sure is left out. */
  readonly floor?: number;
  readonly by?: 'words';
}
