/** Reads fields of a hook's input, whose shape is not trusted. Pure. */
import type { HookFields } from './wire.ts';

/** Empty if it is no text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Without fields if it is no object. */
export function fieldsOf(value: unknown): HookFields {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as HookFields) : {}; // any other object has fields
}
