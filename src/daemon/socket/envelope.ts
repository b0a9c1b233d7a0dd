/** The body of the hook protocol: an envelope of a few lines, an empty line, then the hook's stdin byte for byte. */

export interface Received {
  readonly fields: ReadonlyMap<string, string>;
  readonly stdin: string;
}

export function receivedIn(body: Buffer): Received | undefined {
  const split = body.indexOf('\n\n');
  if (split < 0) return undefined;
  return {
    fields: fieldsOf(body.subarray(0, split).toString('utf8')),
    stdin: body.subarray(split + 2).toString('utf8'),
  };
}

/** The hook's input, for hooks that store nothing of it. */
export function inputIn(body: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(receivedIn(body)?.stdin ?? '');
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined; // JSON.parse gives no other objects
  } catch {
    return undefined;
  }
}

function fieldsOf(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of text.split('\n')) {
    const colon = line.indexOf(': ');
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 2));
  }
  return fields;
}
