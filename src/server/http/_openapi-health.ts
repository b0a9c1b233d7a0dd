/** What the description says of the addresses that are no routes: health, metrics, and the description itself. Pure. */

type Json = Readonly<Record<string, unknown>>;

const AWAY = { 503: { $ref: '#/components/responses/503' } };

export const HEALTH: Readonly<Record<string, Json>> = {
  '/healthz': open('getHealthz', 'The server is alive.', {
    200: json('It is.', { status: word('ok'), name: word('tidemark'), version: { type: 'string' } }),
  }),
  '/readyz': open('getReadyz', 'The database answers, and its schema is one this server can work with.', {
    200: json('It is.', { status: word('ready'), vectors: { enum: ['pgvector', 'rescoring', 'none'] } }),
    ...AWAY,
  }),
  '/metrics': {
    get: {
      operationId: 'getMetrics',
      summary: 'Counts for Prometheus, to who asks from the machine itself or with the scope "admin".',
      security: [{}, { key: [] }],
      responses: {
        200: { description: 'Its text format.', content: { 'text/plain': { schema: { type: 'string' } } } },
        ...Object.fromEntries(
          [401, 403, 429, 502, 503].map((status) => [status, { $ref: `#/components/responses/${status}` }]),
        ),
      },
    },
  },
  '/v1/openapi.json': open('getOpenapiJson', 'This description.', {
    200: { description: 'OpenAPI 3.1.', content: { 'application/json': { schema: { type: 'object' } } } },
  }),
};

/** For everybody: no key is asked for. */
function open(operationId: string, summary: string, responses: Json): Json {
  return { get: { operationId, summary, security: [], responses } };
}

function json(description: string, properties: Readonly<Record<string, Json>>): Json {
  const schema = { type: 'object', properties, required: Object.keys(properties) };
  return { description, content: { 'application/json': { schema } } };
}

function word(text: string): Json {
  return { const: text };
}
