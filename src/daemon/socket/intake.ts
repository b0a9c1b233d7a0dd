/** The hook protocol's body: an envelope of a few lines, an empty line, then the hook's stdin byte for byte. */
import type { HookName } from '../../core/index.ts';
import { toSpooledEvent, type EventParse } from '../../privacy/index.ts';

const ATTEMPT = /^[A-Za-z0-9-]{8,80}$/;

export interface Intake {
  readonly clientVersion: string | undefined;
  /** Folder of the hook's program. */
  readonly program: string | undefined;
  /** Whether a user sees the hook's messages. */
  readonly attended: boolean;
  readonly parse: EventParse;
}

const UNKNOWN = { clientVersion: undefined, program: undefined, attended: false } as const;

export function readIntake(body: Buffer, name: HookName, at: Date): Intake {
  const split = body.indexOf('\n\n');
  if (split < 0) return { ...UNKNOWN, parse: { ok: false, reason: 'no envelope' } };
  const envelope = fieldsOf(body.subarray(0, split).toString('utf8'));
  const attempt = envelope.get('attempt') ?? '';
  const client = {
    clientVersion: envelope.get('client'),
    program: envelope.get('program'),
    attended: envelope.get('unattended') !== '1',
  };
  if (!ATTEMPT.test(attempt)) return { ...client, parse: { ok: false, reason: 'no attempt identity' } };
  const projectDir = envelope.get('project-dir');
  const stdin = body.subarray(split + 2).toString('utf8');
  const parse = toSpooledEvent(stdin, name, { attempt, ...(projectDir ? { projectDir } : {}) }, at);
  return { ...client, parse };
}

function fieldsOf(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of text.split('\n')) {
    const colon = line.indexOf(': ');
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 2));
  }
  return fields;
}
