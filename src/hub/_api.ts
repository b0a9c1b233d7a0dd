/** The hub's API: each route parses what is asked, makes one call of the daemon, and hands its answer on as JSON. */
import { Hono, type Context } from 'hono';
import * as v from 'valibot';
import { TidemarkError } from '../model/index.ts';
import { clip } from './_clip.ts';
import type { HubOptions } from './serve.ts';

/** In a list a text is looked over, not read. */
const LISTED_TEXT = 2000;
/** A long book chapter: what a browser still lays out at once. */
const WHOLE_TEXT = 200_000;
const MOST_ROWS = 200;
const SPENT_DAYS = 7;
const LONGEST_QUERY = 2000;

const count = (least: number, most: number) =>
  v.pipe(v.string(), v.regex(/^\d{1,9}$/), v.transform(Number), v.minValue(least), v.maxValue(most));
const Name = v.pipe(v.string(), v.minLength(1), v.maxLength(200));
const Listing = v.object({
  project: v.optional(Name),
  limit: v.optional(count(1, MOST_ROWS)),
  offset: v.optional(count(0, 1e9)),
});
const Search = v.object({
  q: v.pipe(v.string(), v.maxLength(LONGEST_QUERY)),
  project: v.optional(Name),
  limit: v.optional(count(1, MOST_ROWS)),
});
const Id = v.object({ id: v.pipe(v.string(), v.regex(/^[\w-]{1,80}$/)) });
const Found = v.object({ query: v.unknown(), hits: v.array(v.unknown()), considered: v.array(v.unknown()) });

export function api(call: HubOptions['call']): Hono {
  const routes = new Hono();
  routes.get('/stats', async (c) => c.json(await call('read.stats', {})));
  routes.get('/status', async (c) => c.json(await call('status', {})));
  routes.get('/cost', async (c) => c.json(await call('read.cost', { by: 'day', limit: SPENT_DAYS })));
  routes.get('/projects', async (c) => c.json(clip(await call('read.projects', {}), LISTED_TEXT)));
  routes.get('/memories', async (c) =>
    c.json(clip(await call('read.memories', query(c, Listing)), LISTED_TEXT)),
  );
  routes.get('/sessions', async (c) =>
    c.json(clip(await call('read.sessions', query(c, Listing)), LISTED_TEXT)),
  );
  routes.get('/search', async (c) => {
    const { q, ...rest } = query(c, Search);
    const { hits, considered, ...found } = v.parse(Found, await call('read.search', { query: q, ...rest }));
    return c.json(clip({ ...found, hits, considered: considered.length }, LISTED_TEXT));
  });
  routes.get('/memories/:id', async (c) => {
    const { id } = parse(Id, c.req.param());
    const [entry] = v.parse(v.array(v.unknown()), await call('read.show', { ids: [id] }));
    return c.json(clip(entry, WHOLE_TEXT));
  });
  routes.get('/memories/:id/transcript', async (c) => {
    return c.json(clip(await call('read.transcript', parse(Id, c.req.param())), WHOLE_TEXT));
  });
  return routes;
}

function query<T extends v.GenericSchema>(c: Context, schema: T): v.InferOutput<T> {
  return parse(schema, c.req.query());
}

function parse<T extends v.GenericSchema>(schema: T, input: unknown): v.InferOutput<T> {
  const result = v.safeParse(schema, input);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new TidemarkError('invalid', `${v.getDotPath(issue) ?? 'request'}: ${issue.message}`);
}
