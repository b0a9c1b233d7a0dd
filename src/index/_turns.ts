/** Turns in the index: the second tier of search, below memories. Called by MemoryIndex only. */
import type { TurnOrigin, TurnOutcome } from '../model/index.ts';
import { defined, number, oneOf, optionalNumber, optionalText, text } from './_columns.ts';
import type { Database, Row } from './_database.ts';
import { FullText, type TextFacts } from './_full-text.ts';
import { indexText } from './tokens.ts';

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
  readonly project?: string;
  readonly session?: string;
  readonly since?: string;
  readonly until?: string;
}

export interface TurnHit extends TextFacts {
  readonly turn: IndexedTurn;
  readonly bm25: number;
}

const ORIGINS: readonly TurnOrigin[] = ['person', 'task', 'subagent'];
const OUTCOMES: readonly TurnOutcome[] = ['answered', 'interrupted', 'denied', 'failed', 'open'];

export class Turns {
  readonly fullText: FullText;
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
    this.fullText = new FullText(db, 'turn', ['prompt', 'answer']);
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
  ): readonly TurnHit[] {
    const given = (['project', 'session', 'since', 'until'] as const).filter(
      (name) => filter[name] !== undefined,
    );
    const clauses = {
      project: 'turn.project = ?',
      session: 'turn.session = ?',
      since: 'turn.at >= ?',
      until: 'turn.at < ?',
    };
    const scope = {
      where: given.map((name) => clauses[name]).join(' AND '),
      values: given.map((name) => filter[name] ?? null),
    };
    const hits = this.fullText.search(tokens, scope, limit, weights);
    const facts = this.fullText.facts(
      hits.map(({ row }) => row),
      tokens,
      weights,
    );
    return hits.flatMap(({ row, bm25 }) => {
      const found = this.#db.get('SELECT * FROM turn WHERE row = ?', row);
      const held = facts.get(row);
      return found && held ? [{ turn: turnOf(found), bm25, ...held }] : [];
    });
  }

  #putOne(turn: IndexedTurn): void {
    const before = this.one(turn.id);
    const row = this.#db.get(
      `INSERT INTO turn (id, session, project, at, ended_at, origin, outcome, prompt, answer, tools,
         store_file, store_offset, store_length, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET session = excluded.session, project = excluded.project, at = excluded.at,
         ended_at = excluded.ended_at, hash = excluded.hash,
         origin = excluded.origin, outcome = excluded.outcome, prompt = excluded.prompt, answer = excluded.answer,
         tools = excluded.tools, store_file = excluded.store_file, store_offset = excluded.store_offset,
         store_length = excluded.store_length RETURNING row`,
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
    );
    if (before?.prompt === turn.prompt && before.answer === turn.answer) return;
    this.fullText.put(number(row ?? {}, 'row'), [indexText(turn.prompt), indexText(turn.answer)]);
  }
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
