import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { ROUTES } from '../routes/index.ts';
import { EXPECTED } from './errors.ts';
import { openApi } from './openapi.ts';

type Json = Record<string, unknown>;
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { name: string; in: string; required: boolean; schema: Json }[];
  readonly requestBody?: { content: { 'application/json': { schema: Json } } };
  readonly responses: Readonly<Record<string, Json>>;
}

const description = openApi(ROUTES, '1.2.3') as Json & { paths: Record<string, Record<string, Operation>> };
const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

test('the description contains exactly the routes', () => {
  const described = operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`).toSorted();
  const routes = ROUTES.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
  const others = ['/healthz', '/readyz', '/metrics', '/v1/openapi.json'].map((path) => `GET ${path}`);
  assert.deepEqual(described, [...routes, ...others].toSorted());
});

test('operation ids are unique', () => {
  const names = operations.map(({ operation }) => operation.operationId);
  assert.equal(new Set(names).size, names.length, names.join(' '));
});

test('path parameters match the placeholders of the path', () => {
  for (const { path, operation } of operations) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted();
    const given = (operation.parameters ?? []).filter((one) => one.in === 'path');
    assert.deepEqual(given.map(({ name }) => name).toSorted(), named, path);
    assert.ok(given.every(({ required }) => required));
  }
});

test('every reference resolves', () => {
  const refs = [...JSON.stringify(description).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref ?? '');
  assert.ok(refs.length > 0);
  for (const ref of new Set(refs)) {
    assert.match(ref, /^#\//);
    const found = ref
      .slice(2)
      .split('/')
      .reduce<unknown>((at, key) => (at as Json | undefined)?.[key], description);
    assert.ok(found, ref);
  }
});

test('the description is valid OpenAPI', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(description));
  assert.ok(valid, JSON.stringify(errors));
});

test('each operation lists its success and its possible errors', () => {
  const failures = (method: string, path: string) =>
    Object.keys(description.paths[path]?.[method]?.responses ?? {}).filter((status) => status >= '400');
  const always = ['401', '403', '429', '502', '503'];
  assert.deepEqual(failures('get', '/v1/me'), always);
  assert.deepEqual(failures('get', '/v1/memories/{id}'), ['400', '401', '403', '404', '429', '502', '503']);
  assert.deepEqual(failures('patch', '/v1/members/{member}'), EXPECTED.map(String));
  for (const { path, operation } of operations)
    assert.equal(Object.keys(operation.responses).filter((status) => status < '300').length, 1, path);
});

test('schemas include limits and choices', () => {
  const push = description.paths['/v1/projects/{project}/changes']?.['post'];
  const body = JSON.stringify(push?.requestBody?.content['application/json'].schema);
  assert.match(body, /"maxItems":500/);
  assert.match(body, /"const":"tombstone"/);
  assert.match(body, /"enum":\["current","open","resolved","superseded"\]/);
});
