/** Messages that tell of a session instead of what was said in it. They are kept as events and never recalled. Pure. */
import { given } from '../../core/index.ts';
import type { Message } from './message.ts';

export interface SessionEvent {
  readonly event: 'created' | 'resumed' | 'started' | 'ended';
  readonly session?: string;
  /** The last part of the path only: the rest is about a machine. */
  readonly folder?: string;
}

const MARK = /^\s*\[Session (Start|End)\]/i;
const DEED = /\bUser (created|resumed) session\b/i;
const SESSION = /\bsession_id: *([^\s,]{1,200})/i;
const PATH = /\bpath: *(.+?)\s*$/i;

/** `[Session Start] User resumed session at …. session_id: abc, group_id: …, path: /home/me/shop` → an event. */
export function sessionEventOf({
  content,
  session,
}: Pick<Message, 'content' | 'session'>): SessionEvent | undefined {
  const mark = MARK.exec(content);
  if (!mark) return undefined;
  const named = SESSION.exec(content)?.[1] ?? session;
  const folder = PATH.exec(content)?.[1]?.split(/[/\\]/).findLast(Boolean);
  return {
    event: mark[1]?.toLowerCase() === 'end' ? 'ended' : deedOf(content),
    ...given({ session: named, folder }),
  };
}

function deedOf(content: string): 'created' | 'resumed' | 'started' {
  const deed = DEED.exec(content)?.[1]?.toLowerCase();
  return deed === 'created' || deed === 'resumed' ? deed : 'started';
}
