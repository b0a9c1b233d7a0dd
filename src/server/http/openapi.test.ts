import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTES } from '../routes/index.ts';
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

test('every route is described, and nothing else', () => {
  const described = operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`).toSorted();
  const served = ROUTES.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`).toSorted();
  assert.deepEqual(described, served);
});

test('each operation has a name of its own', () => {
  const names = operations.map(({ operation }) => operation.operationId);
  assert.equal(new Set(names).size, names.length, names.join(' '));
});

test('each part of an address in braces is a parameter, and only those are', () => {
  for (const { path, operation } of operations) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted();
    const given = (operation.parameters ?? []).filter((one) => one.in === 'path');
    assert.deepEqual(given.map(({ name }) => name).toSorted(), named, path);
    assert.ok(given.every(({ required }) => required));
  }
});

test('every reference leads somewhere', () => {
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

test('each operation says what it gives and how it can fail', () => {
  for (const { path, operation } of operations) {
    const statuses = Object.keys(operation.responses);
    assert.ok(
      statuses.some((status) => status.startsWith('2')),
      path,
    );
    for (const status of ['400', '401', '403', '404', '409', '413', '429', '502', '503'])
      assert.ok(statuses.includes(status), `${path} ${status}`);
  }
});

test('shapes are the ones the server checks: limits and choices are told', () => {
  const push = description.paths['/v1/projects/{project}/changes']?.['post'];
  const body = JSON.stringify(push?.requestBody?.content['application/json'].schema);
  assert.match(body, /"maxItems":500/);
  assert.match(body, /"const":"tombstone"/);
  assert.match(body, /"enum":\["current","open","resolved","superseded"\]/);
});
