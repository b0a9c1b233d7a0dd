/** One route of the API as data: what it takes, what it gives, who may ask. The app and its description are made from these. */
import type * as v from 'valibot';
import type { KeyHolder, Scope, TeamStore, Work } from '../store/index.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Schema = v.GenericSchema;
type Out<S extends Schema | undefined> = S extends Schema ? v.InferOutput<S> : undefined;

export interface Asked<P = unknown, Q = unknown, B = unknown> {
  readonly holder: KeyHolder;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly store: TeamStore;
  /** Work bound to who asks; committed when it resolves. */
  readonly change: <T>(work: (work: Work) => Promise<T>) => Promise<T>;
  /** The same, and the database refuses to write. */
  readonly read: <T>(work: (work: Work) => Promise<T>) => Promise<T>;
}

interface Shape<
  P extends Schema | undefined,
  Q extends Schema | undefined,
  B extends Schema | undefined,
  A extends Schema,
> {
  readonly method: Method;
  /** `/v1/projects/:project` */
  readonly path: string;
  readonly summary: string;
  readonly scope: Scope;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly answer: A;
  /** 200 unless it makes something. */
  readonly status?: 200 | 201;
  /** Bytes of a body at most; small unless told. */
  readonly largest?: number;
  /** Answers that its shape does not tell: 404 where a body names something, 409 where it may not go together. */
  readonly refuses?: readonly (404 | 409)[];
  run(asked: Asked<Out<P>, Out<Q>, Out<B>>): Promise<v.InferOutput<A>>;
}

export type Route = Shape<Schema | undefined, Schema | undefined, Schema | undefined, Schema>;

/** Keeps the types of a route's schemas together with the function that gets what they read. */
export function route<
  P extends Schema | undefined = undefined,
  Q extends Schema | undefined = undefined,
  B extends Schema | undefined = undefined,
  A extends Schema = Schema,
>(shape: Shape<P, Q, B, A>): Route {
  // The app reads params, query and body with these very schemas before it calls `run`.
  return shape as unknown as Route;
}
