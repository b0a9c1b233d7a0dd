/** Returns the system's code of an error, never its message: messages contain paths and content. */
export function errnoOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z0-9_]{2,40}$/.test(code) ? code : error.name.slice(0, 40);
}
