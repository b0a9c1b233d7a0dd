/** The only error class of Tidemark: a stable code for programs and a hint with the next step for users. */

export interface ErrorDetails {
  readonly hint?: string;
  readonly cause?: unknown;
}

export class TidemarkError extends Error {
  override readonly name = 'TidemarkError';
  readonly code: string;
  readonly hint: string | undefined;

  constructor(code: string, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.hint = details.hint;
  }
}
