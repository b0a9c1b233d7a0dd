/** Checks answers against the OpenAPI description: the status must be documented and the body must match its schema. */
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openApi } from '../../src/server/http/index.ts';
import { ROUTES } from '../../src/server/routes/index.ts';

interface Content {
  readonly 'application/json'?: { readonly schema: object };
}
interface Operation {
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly content?: Content }>>;
}
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, { readonly content: Content }>> };
}

const description = openApi(ROUTES, '0') as unknown as Description; // as src/server/http/openapi.ts builds it
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ $id: 'description', ...description });

const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { responses }]) => ({
    name: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
    responses,
  })),
);
const validators = new Map<string, ValidateFunction | undefined>();

/** Every documented answer, like `GET /v1/me 200`. */
export const described: readonly string[] = operations.flatMap(({ name, responses }) =>
  Object.keys(responses).map((status) => `${name} ${status}`),
);

/** The answers this process has received so far, in the same form. */
export const answered = new Set<string>();

/** Throws if the answer does not match the description. Ignores paths that are not described. */
export function checkDescribed(
  method: string,
  path: string,
  { status, body }: { readonly status: number; readonly body: unknown },
): void {
  const [place = ''] = path.split('?');
  const operation = operations.find((one) => one.method === method && one.pattern.test(place));
  if (!operation) return;
  const name = `${operation.name} ${status}`;
  const response = operation.responses[status];
  assert.ok(response, `${name} is not described: ${JSON.stringify(body)}`);
  if (!validators.has(name)) validators.set(name, validatorOf(response, status));
  const validate = validators.get(name);
  if (validate && !validate(body))
    assert.fail(`${name} is not as described: ${ajv.errorsText(validate.errors)} ${JSON.stringify(body)}`);
  answered.add(name);
}

function validatorOf(
  { $ref, content }: Operation['responses'][string],
  status: number,
): ValidateFunction | undefined {
  const shape = $ref ? description.components.responses[status]?.content : content;
  const schema = shape?.['application/json']?.schema;
  if (!schema) return undefined;
  return ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"description#/')) as object);
}
