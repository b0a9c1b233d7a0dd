/** A route of the API as data: schemas, scope and handler. The app and the OpenAPI description are built from these. */
import type * as v from 'valibot';
import type { Waiting } from '../live/index.ts';
import type { KeyHolder, RecordAction, Scope, TeamStore, Work } from '../store/index.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Schema = v.GenericSchema;
type Out<S extends Schema | undefined> = S extends Schema ? v.InferOutput<S> : undefined;

export interface RouteInput<P = unknown, Q = unknown, B = unknown> {
  readonly holder: KeyHolder;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly store: TeamStore;
  /** Runs work as the caller and commits it. `record` adds an audit entry with the caller's key to the transaction. */
  readonly change: <T>(work: (work: Work, record: RecordAction) => Promise<T>) => Promise<T>;
  /** Runs work as the caller in a read-only transaction. */
  readonly read: <T>(work: (work: Work) => Promise<T>) => Promise<T>;
  /** The same, on a replica if there is one: for searches and lists, not for what decides about access or syncing. */
  readonly readAnywhere: <T>(work: (work: Work) => Promise<T>) => Promise<T>;
  readonly waiting: Waiting;
  /** Calls its argument when the client closes the connection before its answer, and at the latest after the answer. */
  readonly onHangUp: (stop: () => void) => void;
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
  /** Default 200; 201 if the route creates something. */
  readonly status?: 200 | 201;
  /** Maximum size of the body in bytes; default 64 KB. */
  readonly largest?: number;
  /** Error statuses that the schemas do not imply: 404 if the body names an id, 409 for conflicts. */
  readonly refuses?: readonly (404 | 409)[];
  run(input: RouteInput<Out<P>, Out<Q>, Out<B>>): Promise<v.InferOutput<A>>;
}

export type Route = Shape<Schema | undefined, Schema | undefined, Schema | undefined, Schema>;

/** Infers the types of the handler's input from the route's schemas. */
export function route<
  P extends Schema | undefined = undefined,
  Q extends Schema | undefined = undefined,
  B extends Schema | undefined = undefined,
  A extends Schema = Schema,
>(shape: Shape<P, Q, B, A>): Route {
  // The app parses params, query and body with these schemas before it calls `run`.
  return shape as unknown as Route;
}
