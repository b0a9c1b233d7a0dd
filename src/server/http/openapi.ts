/** The OpenAPI 3.1 description of the API, generated from the routes. Pure. */
import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { WireError } from '../../exchange/sync/index.ts';
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
        'Shared memory of a team. Every error is {error: {code, message, hint}}; the hint says what to do.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
    paths: { ...HEALTH, ...paths },
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'A key of this server: tmk_<id>_<secret>.' },
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
      ...errorRefs(refusalsOf(route)),
    },
  };
}

/** Returns the error statuses of a route: those of every route, those its schemas imply, and those it declares. */
function refusalsOf({ params, query, body, refuses = [] }: Route): readonly Expected[] {
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

/** Leaves out checks that JSON Schema cannot express; the server still makes them. */
function schemaOf(schema: v.GenericSchema, typeMode: 'input' | 'output' = 'input'): Json {
  const { $schema: _, ...shape } = toJsonSchema(schema, { errorMode: 'ignore', typeMode }) as Json;
  return shape;
}

function errorResponse(status: Expected): Json {
  const wait = { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } };
  return {
    description: DESCRIPTIONS[status],
    ...(status === 429 || status === 503 ? { headers: wait } : {}),
    content: json({ $ref: '#/components/schemas/Error' }),
  };
}

const DESCRIPTIONS: Readonly<Record<Expected, string>> = {
  400: 'The request does not match the schema.',
  401: 'The key is missing, unknown, expired or revoked.',
  403: 'The key or the role does not allow this.',
  404: 'It does not exist, or it is not shared with the caller.',
  409: 'The request conflicts with the current state.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  429: 'Too many requests with this key or from this address.',
  502: 'The database answered with an error.',
  503: 'The database is unavailable, or the server is shutting down.',
};

function json(schema: Json): Json {
  return { 'application/json': { schema } };
}

function bracketed(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

/** The endpoints that are not routes: health, metrics and this description. */
const HEALTH: Readonly<Record<string, Json>> = {
  '/healthz': open('getHealthz', 'Whether the server runs.', {
    200: object('It runs.', { status: word('ok'), name: word('tidemark'), version: { type: 'string' } }),
  }),
  '/readyz': open('getReadyz', 'Whether the database answers and its schema fits this server.', {
    200: object('Ready.', { status: word('ready'), vectors: { enum: ['pgvector', 'rescoring', 'none'] } }),
    ...errorRefs([503]),
  }),
  '/metrics': {
    get: {
      operationId: 'getMetrics',
      summary: 'Prometheus metrics, for requests from the same machine or with the scope "admin".',
      security: [{}, { key: [] }],
      responses: {
        200: {
          description: 'Prometheus text format.',
          content: { 'text/plain': { schema: { type: 'string' } } },
        },
        ...errorRefs([401, 403, 429, 502, 503]),
      },
    },
  },
  '/v1/openapi.json': open('getOpenapiJson', 'This description.', {
    200: { description: 'OpenAPI 3.1.', content: json({ type: 'object' }) },
  }),
};

/** Describes an endpoint that needs no key. */
function open(operationId: string, summary: string, responses: Json): Json {
  return { get: { operationId, summary, security: [], responses } };
}

function object(description: string, properties: Readonly<Record<string, Json>>): Json {
  return { description, content: json({ type: 'object', properties, required: Object.keys(properties) }) };
}

function word(text: string): Json {
  return { const: text };
}

function errorRefs(statuses: readonly Expected[]): Json {
  return Object.fromEntries(
    statuses.map((status) => [String(status), { $ref: `#/components/responses/${status}` }]),
  );
}
