/** Checks a request's query, parameters and body against a schema. Throws TidemarkError `invalid`. */
import type { Context } from 'hono';
import * as v from 'valibot';
import { TidemarkError } from '../core/index.ts';

export function queryOf<T extends v.GenericSchema>(c: Context, schema: T): v.InferOutput<T> {
  return checked(schema, c.req.query());
}

export function paramsOf<T extends v.GenericSchema>(c: Context, schema: T): v.InferOutput<T> {
  return checked(schema, c.req.param());
}

/** A missing body counts as an empty object. */
export async function bodyOf<T extends v.GenericSchema>(c: Context, schema: T): Promise<v.InferOutput<T>> {
  return checked(schema, jsonOf(await c.req.text()));
}

export function jsonOf(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new TidemarkError('invalid', 'the body is not JSON', { cause });
  }
}

export function checked<T extends v.GenericSchema>(schema: T, input: unknown): v.InferOutput<T> {
  const result = v.safeParse(schema, input);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new TidemarkError('invalid', `${v.getDotPath(issue) ?? 'request'}: ${issue.message}`);
}
