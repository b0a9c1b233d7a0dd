/** The shape of every error over HTTP: a stable code for programs, a message, and a hint with the next step. Pure. */
import { given } from '../core/index.ts';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

export interface ErrorShape {
  readonly error: { readonly code: string; readonly message: string; readonly hint?: string };
}

export interface ErrorAnswer {
  readonly status: ContentfulStatusCode;
  readonly body: ErrorShape;
}

export function answer(
  status: ContentfulStatusCode,
  code: string,
  message: string,
  hint?: string,
): ErrorAnswer {
  return { status, body: { error: { code, message, ...given({ hint }) } } };
}

export const NOT_FOUND = answer(404, 'not-found', 'there is nothing at this address');
