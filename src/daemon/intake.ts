/** The hook protocol's body: an envelope of a few lines, an empty line, then the hook's stdin byte for byte. */
import { type HookName } from '../model/index.ts';
import { toSpooledEvent, type EventParse } from '../privacy/index.ts';

const ATTEMPT = /^[A-Za-z0-9-]{8,80}$/;

export interface Intake {
  readonly clientVersion: string | undefined;
  readonly parse: EventParse;
}

export function readIntake(body: Buffer, name: HookName, at: Date): Intake {
  const split = body.indexOf('\n\n');
  if (split < 0) return { clientVersion: undefined, parse: { ok: false, reason: 'no envelope' } };
  const envelope = fieldsOf(body.subarray(0, split).toString('utf8'));
  const attempt = envelope.get('attempt') ?? '';
  const clientVersion = envelope.get('client');
  if (!ATTEMPT.test(attempt)) return { clientVersion, parse: { ok: false, reason: 'no attempt identity' } };
  const projectDir = envelope.get('project-dir');
  const stdin = body.subarray(split + 2).toString('utf8');
  const parse = toSpooledEvent(stdin, name, { attempt, ...(projectDir ? { projectDir } : {}) }, at);
  return { clientVersion, parse };
}

function fieldsOf(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of text.split('\n')) {
    const colon = line.indexOf(': ');
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 2));
  }
  return fields;
}
