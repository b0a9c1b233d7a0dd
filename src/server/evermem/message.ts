/** A message of an EverMem client, in either version of the format. Its text is redacted on creation. Pure. */
import { contentHash, given } from '../../core/index.ts';
import { redact } from '../../privacy/index.ts';

export interface Message {
  /** The client's id, or one derived from the content, so that a repeated message is recognised. */
  readonly id: string;
  /** ISO 8601, never in the future. */
  readonly at: string;
  readonly role: 'user' | 'assistant';
  readonly sender: string;
  readonly senderName?: string;
  readonly content: string;
  /** Absent in version 0 of the format. */
  readonly session?: string;
}

interface RawMessage {
  readonly id?: string | undefined;
  readonly at: Date;
  /** Any role except `assistant` (a tool, a system) counts as the user's. */
  readonly role: string;
  readonly sender: string;
  readonly senderName?: string | undefined;
  readonly content: string;
  readonly session?: string | undefined;
}

const ID_CHARS = 24;

export function messageOf(raw: RawMessage, now: Date): Message {
  const role = raw.role === 'assistant' ? 'assistant' : 'user';
  const content = redact(raw.content).text;
  const derived = `m_${contentHash([raw.at.getTime(), role, raw.sender, content].join('\n')).slice(0, ID_CHARS)}`;
  return {
    id: raw.id ?? derived,
    at: new Date(Math.min(raw.at.getTime(), now.getTime())).toISOString(),
    role,
    sender: redact(raw.sender).text,
    content,
    ...given({
      senderName: raw.senderName === undefined ? undefined : redact(raw.senderName).text,
      session: raw.session === undefined ? undefined : redact(raw.session).text,
    }),
  };
}

interface SessionEvent {
  readonly event: 'created' | 'resumed' | 'started' | 'ended';
  readonly session?: string;
  /** Only the last part of the path; the rest describes the machine. */
  readonly folder?: string;
}

const EVENT = /^\s*\[Session (Start|End)\]/i;
const START = /\bUser (created|resumed) session\b/i;
const SESSION = /\bsession_id: *([^\s,]{1,200})/i;
const PATH = /\bpath: *(.+?)\s*$/i;

/**
 * Returns the event of a message that only reports a session:
 * `[Session Start] User resumed session at …. session_id: abc, group_id: …, path: /home/me/shop`
 */
export function sessionEventOf({
  content,
  session,
}: Pick<Message, 'content' | 'session'>): SessionEvent | undefined {
  const match = EVENT.exec(content);
  if (!match) return undefined;
  const start = START.exec(content)?.[1]?.toLowerCase();
  const started = start === 'created' || start === 'resumed' ? start : 'started';
  return {
    event: match[1]?.toLowerCase() === 'end' ? 'ended' : started,
    ...given({
      session: SESSION.exec(content)?.[1] ?? session,
      folder: PATH.exec(content)?.[1]?.split(/[/\\]/).findLast(Boolean),
    }),
  };
}
