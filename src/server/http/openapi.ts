/** The description of the API for programs (OpenAPI 3.1), made from the routes themselves. Pure. */
import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { WireError } from '../../exchange/sync/index.ts';
import { HEALTH } from './_openapi-health.ts';
import { EXPECTED, type Expected } from './errors.ts';
import type { Route } from './route.ts';

type Json = Readonly<Record<string, unknown>>;

export function openApi(routes: readonly Route[], version: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = (paths[bracketed(route.path)] ??= {});
    path[route.method.toLowerCase()] = operation(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tidemark team server',
      version,
      description:
        'Shared memory of a team. Every answer that is no success is {error: {code, message, hint}}; the hint says what to do.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
    paths: { ...HEALTH, ...paths },
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'A key of the server: tmk_<id>_<secret>.' },
      },
      schemas: { Error: schemaOf(WireError) },
      responses: Object.fromEntries(EXPECTED.map((status) => [String(status), errorResponse(status)])),
    },
  };
}

function operation(route: Route): Json {
  const { method, path, summary, scope, params, query, body, answer, status = 200 } = route;
  return {
    operationId: operationId(method, path),
    summary,
    description: `Needs a key with the scope "${scope}".`,
    ...(params || query
      ? { parameters: [...parameters('path', params), ...parameters('query', query)] }
      : {}),
    ...(body ? { requestBody: { required: true, content: json(schemaOf(body)) } } : {}),
    responses: {
      [status]: { description: 'Done.', content: json(schemaOf(answer, 'output')) },
      ...Object.fromEntries(
        refusalsOf(route).map((each) => [String(each), { $ref: `#/components/responses/${each}` }]),
      ),
    },
  };
}

/** What a route can refuse a request with: what its shape lets go wrong, what it says itself, and what any route can. */
export function refusalsOf({ params, query, body, refuses = [] }: Route): readonly Expected[] {
  const can = new Set<Expected>([401, 403, 429, 502, 503, ...refuses]);
  if (params || query || body) can.add(400);
  if (params) can.add(404);
  if (body) can.add(413).add(415);
  return EXPECTED.filter((status) => can.has(status));
}

/** `get /v1/projects/:project/changes` → `getProjectsProjectChanges` */
function operationId(method: string, path: string): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '' && word !== 'v1');
  return method.toLowerCase() + words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
}

function parameters(where: 'path' | 'query', schema: v.GenericSchema | undefined): readonly Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(schema) as {
    properties?: Record<string, Json>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, shape]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    schema: shape,
  }));
}

/** What cannot be said in JSON Schema (the wording of a pattern) is left out; the server checks it all the same. */
function schemaOf(schema: v.GenericSchema, typeMode: 'input' | 'output' = 'input'): Json {
  const { $schema: _, ...shape } = toJsonSchema(schema, { errorMode: 'ignore', typeMode }) as Json;
  return shape;
}

function errorResponse(status: Expected): Json {
  const wait = { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } };
  return {
    description: MEANING[status],
    ...(status === 429 || status === 503 ? { headers: wait } : {}),
    content: json({ $ref: '#/components/schemas/Error' }),
  };
}

const MEANING: Readonly<Record<Expected, string>> = {
  400: 'The request does not have the shape it must have.',
  401: 'No key, or one that is unknown, expired or revoked.',
  403: 'The key or the role does not allow this.',
  404: 'There is no such thing, or it is not shared with who asks.',
  409: 'It does not go together with what is there.',
  413: 'The body is too large.',
  415: 'The body is not sent as JSON.',
  429: 'Too many requests of this key or address.',
  502: 'The database answered with an error.',
  503: 'The database cannot be reached, or the server is leaving.',
};

function json(schema: Json): Json {
  return { 'application/json': { schema } };
}

function bracketed(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}
