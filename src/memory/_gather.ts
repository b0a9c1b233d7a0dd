/**
 * Collects the memories that may change together with some memories: those that say the same, contradict or resolve
 * them, and in turn those related to these. Reads the index and the journal, changes nothing.
 */
import { SOURCE_MAKER, type Memory } from '../core/index.ts';
import { areRelated, type Source } from './compare/reconcile.ts';
import { statementOf, type Statement } from './compare/statement.ts';
import type { Stores } from './stores.ts';

/**
 * A memory changes its own entry, the entries linked to it, and the entries linked to those. Their states depend on
 * entries two links further away.
 */
export const CHANGED_WITHIN = 2;
const LOOK_WITHIN = 4;

type ReadStores = Pick<Stores, 'index' | 'journal'>;

export interface Gathered {
  readonly source: Source;
  /** The number of links from the first memories. Memories that say the same have the same distance. */
  readonly distance: number;
}

export function gather(
  stores: ReadStores,
  project: string,
  fresh: ReadonlyMap<string, Memory>,
  seeds: readonly string[],
): ReadonlyMap<string, Gathered> {
  const sources = new Sources(stores, project, fresh);
  const found = new Map<string, Gathered>();
  const add = (source: Source | undefined, distance: number): string[] => {
    if (!source || distance > LOOK_WITHIN) return [];
    const { id } = source.statement.memory;
    const known = found.get(id);
    if (known && known.distance <= distance) return [];
    found.set(id, { source, distance });
    return [id];
  };
  let open = sources.get(seeds).flatMap((source) => add(source, 0));
  while (open.length > 0) {
    const next: string[] = [];
    for (const id of open) {
      const from = found.get(id);
      if (!from) continue;
      for (const { source, step } of sources.relatedTo(from.source))
        next.push(...add(source, from.distance + step));
    }
    open = next;
  }
  return found;
}

/** Reads memories and what is related to them, each once. */
class Sources {
  readonly #stores: ReadStores;
  readonly #project: string;
  readonly #fresh: ReadonlyMap<string, Memory>;
  readonly #statements = new Map<string, Statement | undefined>();
  readonly #sources = new Map<string, Source>();

  constructor(stores: ReadStores, project: string, fresh: ReadonlyMap<string, Memory>) {
    this.#stores = stores;
    this.#project = project;
    this.#fresh = fresh;
  }

  relatedTo(source: Source): readonly { readonly source: Source; readonly step: 0 | 1 }[] {
    const { memory, words } = source.statement;
    const { index } = this.#stores;
    const forced = [
      ...(source.into === undefined ? [] : [source.into]),
      ...index.mergedInto(memory.id).map(({ memory: one }) => one.id),
    ];
    const candidates = new Set([
      ...index.similarTitles(this.#project, [...words]),
      ...this.#fresh.keys(),
      ...forced,
    ]);
    candidates.delete(memory.id);
    // Reading who edited an entry needs its file, so unrelated candidates are left out first.
    const likely = [...candidates].filter((id) => forced.includes(id) || this.#mayRelate(source, id));
    return this.get(likely).flatMap((other) => {
      const relation = areRelated(source, other);
      return relation ? [{ source: other, step: relation === 'same' ? (0 as const) : (1 as const) }] : [];
    });
  }

  get(ids: readonly string[]): readonly Source[] {
    const unknown = ids.filter((id) => !this.#sources.has(id));
    const merged = new Map(
      unknown.map((id) => [id, this.#fresh.has(id) ? undefined : this.#stores.index.merged(id)]),
    );
    const targets = [...merged.values()].flatMap((one) => one?.into ?? []);
    const hands = this.#stores.journal.userChanges([...unknown, ...targets]);
    for (const id of unknown) {
      const statement = this.#statement(id);
      if (!statement) continue;
      const hand = hands.get(id);
      const { state, provenance } = statement.memory;
      const one = this.#stores.index.memory(id)?.id === id ? undefined : merged.get(id);
      const isClosedByUser = (of: string): boolean =>
        hands.get(of)?.held === true &&
        ['resolved', 'superseded'].includes(this.#statement(of)?.memory.state ?? '');
      this.#sources.set(id, {
        statement,
        byHand: hand?.edited === true || provenance.by === 'person',
        pinned: hand?.held === true && state !== undefined,
        ...(hand?.elsewhere ? { elsewhere: true } : {}),
        ...(one && (one.by === 'person' || isClosedByUser(one.into)) ? { into: one.into } : {}),
      });
    }
    return ids.flatMap((id) => this.#sources.get(id) ?? []);
  }

  #mayRelate(source: Source, id: string): boolean {
    const statement = this.#statement(id);
    if (!statement) return false;
    const bare = { byHand: false, pinned: false };
    return areRelated({ ...bare, statement: source.statement }, { ...bare, statement }) !== undefined;
  }

  #statement(id: string): Statement | undefined {
    if (!this.#statements.has(id)) {
      const memory = this.#fresh.get(id) ?? this.#known(id);
      this.#statements.set(id, memory && statementOf(memory));
    }
    return this.#statements.get(id);
  }

  #known(id: string): Memory | undefined {
    const { index } = this.#stores;
    const entry = index.memory(id);
    if (entry?.provenance.by === SOURCE_MAKER) return undefined; // it is in no journal file
    if (entry?.author !== undefined) return undefined; // only a user changes the entries of other people
    if (entry?.id === id) return isRetired(this.#stores, entry) ? undefined : entry;
    const merged = index.merged(id);
    // Without its entry the user has deleted it.
    return merged && index.memory(merged.into)?.id === merged.into ? merged.memory : undefined;
  }
}

/** Tells whether a better distiller has replaced it by a memory of the same turn. Such a memory is not compared. */
export function isRetired({ index }: Pick<Stores, 'index'>, memory: Memory): boolean {
  if (memory.ended && memory.ended.turn === memory.provenance.turn) return true;
  if (memory.state !== 'superseded' || memory.supersededBy === undefined) return false;
  const successor = index.memory(memory.supersededBy) ?? index.merged(memory.supersededBy)?.memory;
  return successor?.provenance.turn === memory.provenance.turn && memory.provenance.turn !== '';
}
