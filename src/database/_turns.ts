/** Turns in the index: the second tier of search, below memories. Called by MemoryIndex only. */
import type { TurnOrigin, TurnOutcome } from '../core/index.ts';
import { defined, number, oneOf, optionalNumber, optionalText, text } from './columns.ts';
import type { Database, Row } from './connection.ts';
import { FullText, type TextScope } from './text/full-text.ts';
import type { TextFacts } from './text/text-facts.ts';
import { indexText } from './text/tokens.ts';
import type { Embedded, QueryVector, Unembedded } from './vectors/embedding.ts';
import { Vectors, type Cosines } from './vectors/vectors.ts';

/** A turn as the index knows it: redacted, shortened text, and where the turn store keeps it whole. */
export interface IndexedTurn {
  readonly id: string;
  readonly session: string;
  readonly project: string;
  readonly at: string;
  readonly endedAt: string;
  readonly origin: TurnOrigin;
  readonly outcome: TurnOutcome;
  readonly prompt: string;
  readonly answer: string;
  /** How many tool calls it made. */
  readonly tools: number;
  readonly location?: TurnLocation;
  /** Of the whole turn: tells a revision from the same turn read again. */
  readonly hash: string;
}

export interface TurnLocation {
  /** Relative to the turn store. */
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

export interface TurnFilter {
  readonly project?: string | readonly string[];
  readonly session?: string;
  readonly since?: string;
  readonly until?: string;
}

export interface TurnHit extends TextFacts {
  readonly turn: IndexedTurn;
  /** 0 where only the meaning brought it here. */
  readonly bm25: number;
  readonly cosine?: number;
}

/** What a turn is about stands at the beginning of prompt and answer, and a model reads some hundred words only. */
const EMBEDDED_CHARS = 800;

const ORIGINS: readonly TurnOrigin[] = ['person', 'task', 'subagent'];
const OUTCOMES: readonly TurnOutcome[] = ['answered', 'interrupted', 'denied', 'failed', 'open'];

const FIELDS = [
  'id',
  'session',
  'project',
  'at',
  'ended_at',
  'origin',
  'outcome',
  'prompt',
  'answer',
  'tools',
  'store_file',
  'store_offset',
  'store_length',
  'hash',
] as const;
const INSERT_TURN = `INSERT INTO turn (${FIELDS.join(', ')}) VALUES (${FIELDS.map(() => '?').join(', ')})`;
const UPDATE_TURN = `UPDATE turn SET ${FIELDS.map((name) => `${name} = ?`).join(', ')} WHERE row = ?`;

export class Turns {
  readonly fullText: FullText;
  readonly vectors: Vectors;
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
    this.fullText = new FullText(db, 'turn', ['prompt', 'answer']);
    this.vectors = new Vectors(db, 'turn');
  }

  put(turns: readonly IndexedTurn[]): void {
    for (const turn of turns) this.#putOne(turn);
  }

  remove(ids: readonly string[]): number {
    let removed = 0;
    for (const id of ids) {
      const row = this.#db.get('SELECT row FROM turn WHERE id = ?', id);
      if (!row) continue;
      this.fullText.remove(number(row, 'row'));
      this.vectors.removed(number(row, 'row'));
      removed += this.#db.run('DELETE FROM turn WHERE id = ?', id);
    }
    return removed;
  }

  one(id: string): IndexedTurn | undefined {
    const row = this.#db.get('SELECT * FROM turn WHERE id = ?', id);
    return row && turnOf(row);
  }

  has(id: string): boolean {
    return this.#db.get('SELECT 1 FROM turn WHERE id = ?', id) !== undefined;
  }

  inSession(session: string): readonly IndexedTurn[] {
    return this.#db.all('SELECT * FROM turn WHERE session = ? ORDER BY at, id', session).map(turnOf);
  }

  /** Ids of the turns whose whole text lies in this file of the turn store. */
  storedIn(file: string): readonly string[] {
    return this.#db.all('SELECT id FROM turn WHERE store_file = ?', file).map((row) => text(row, 'id'));
  }

  search(
    tokens: readonly string[],
    filter: TurnFilter,
    limit: number,
    weights: readonly number[],
    vector?: QueryVector,
  ): readonly TurnHit[] {
    const given = (['session', 'since', 'until'] as const).filter((name) => filter[name] !== undefined);
    const clauses = {
      session: 'turn.session = ?',
      since: 'turn.at >= ?',
      until: 'turn.at < ?',
    };
    const scope = {
      where: given.map((name) => clauses[name]).join(' AND '),
      values: given.map((name) => filter[name] ?? null),
      ...(filter.project === undefined ? {} : { projects: projectsIn(filter) }),
    };
    const bm25 = new Map(
      this.fullText.search(tokens, scope, limit, weights).map((hit) => [hit.row, hit.bm25]),
    );
    const near = vector ? this.#nearest(vector, scope) : [];
    const also = near.flatMap((found) => [...found.keys()].slice(0, limit));
    const rows = [...new Set([...bm25.keys(), ...also])];
    const facts = this.fullText.facts(rows, tokens, weights);
    const cosines = vector && near.length > 0 ? this.vectors.completed(vector, near, rows) : undefined;
    return rows.flatMap((row) => {
      const found = this.#db.get('SELECT * FROM turn WHERE row = ?', row);
      const held = facts.get(row);
      const cosine = cosines?.get(row);
      if (!found || !held) return [];
      return [
        {
          turn: turnOf(found),
          bm25: bm25.get(row) ?? 0,
          ...held,
          ...(cosine === undefined ? {} : { cosine }),
        },
      ];
    });
  }

  unembedded(limit: number): readonly Unembedded[] {
    return this.vectors.wanted(limit).flatMap((row) => {
      const found = this.#db.get('SELECT * FROM turn WHERE row = ?', row);
      if (!found) return [];
      const { prompt, answer, hash } = turnOf(found);
      const text = `${prompt.slice(0, EMBEDDED_CHARS)}\n${answer.slice(0, EMBEDDED_CHARS)}`;
      return [{ tier: 'turn', row, hash, text }];
    });
  }

  putVectors(embedded: readonly Embedded[]): void {
    this.vectors.put(
      embedded.filter(
        ({ row, hash }) =>
          this.#db.get('SELECT 1 FROM turn WHERE row = ? AND hash = ?', row, hash) !== undefined,
      ),
    );
  }

  #nearest({ vector, model }: QueryVector, { where, values, projects }: TextScope): readonly Cosines[] {
    const rows = where && this.#db.all(`SELECT row FROM turn WHERE ${where}`, ...values);
    const scope = { projects, rows: rows ? rows.map((row) => number(row, 'row')) : undefined };
    return this.vectors.nearest(vector, model, [scope]);
  }

  #putOne(turn: IndexedTurn): void {
    const before = this.#db.get('SELECT row, prompt, answer, project FROM turn WHERE id = ?', turn.id);
    const fields = [
      turn.id,
      turn.session,
      turn.project,
      turn.at,
      turn.endedAt,
      turn.origin,
      turn.outcome,
      turn.prompt,
      turn.answer,
      turn.tools,
      turn.location?.file ?? null,
      turn.location?.offset ?? null,
      turn.location?.length ?? null,
      turn.hash,
    ];
    const row = before ? number(before, 'row') : this.#db.insert(INSERT_TURN, ...fields);
    if (before) this.#db.run(UPDATE_TURN, ...fields, row);
    const same =
      before &&
      text(before, 'prompt') === turn.prompt &&
      text(before, 'answer') === turn.answer &&
      text(before, 'project') === turn.project;
    if (same) return;
    this.vectors.outdated(row);
    this.fullText.put(row, turn.project, [indexText(turn.prompt), indexText(turn.answer)]);
  }
}

function projectsIn({ project = [] }: TurnFilter): readonly string[] {
  return typeof project === 'string' ? [project] : project;
}

function turnOf(row: Row): IndexedTurn {
  const file = optionalText(row, 'store_file');
  const location =
    file === undefined
      ? undefined
      : {
          file,
          offset: optionalNumber(row, 'store_offset') ?? 0,
          length: optionalNumber(row, 'store_length') ?? 0,
        };
  return {
    id: text(row, 'id'),
    session: text(row, 'session'),
    project: text(row, 'project'),
    at: text(row, 'at'),
    endedAt: text(row, 'ended_at'),
    hash: text(row, 'hash'),
    origin: oneOf(row, 'origin', ORIGINS),
    outcome: oneOf(row, 'outcome', OUTCOMES),
    prompt: text(row, 'prompt'),
    answer: text(row, 'answer'),
    tools: number(row, 'tools'),
    ...defined({ location }),
  };
}
