/** What a client of EverMem says, whichever version of the format it speaks. Text is redacted when one is made. Pure. */
import { contentHash } from '../../core/index.ts';
import { redact } from '../../privacy/index.ts';

export type MessageRole = 'user' | 'assistant';

export interface Message {
  /** As the client named it, or derived from what it says: sent again, it is the same. */
  readonly id: string;
  /** ISO 8601, never in the future. */
  readonly at: string;
  readonly role: MessageRole;
  readonly sender: string;
  readonly senderName?: string;
  readonly content: string;
  /** Where the client names one; the first version does not. */
  readonly session?: string;
}

export interface Said {
  readonly id?: string | undefined;
  readonly at: Date;
  /** What is neither user nor assistant (a tool, a system) speaks beside the person, not for the agent. */
  readonly role: string;
  readonly sender: string;
  readonly senderName?: string | undefined;
  readonly content: string;
  readonly session?: string | undefined;
}

const DERIVED_ID = 24; // characters of the hash; as unlike as is needed within one group

export function messageOf(said: Said, now: Date): Message {
  const at = new Date(Math.min(said.at.getTime(), now.getTime())).toISOString();
  const role = said.role === 'assistant' ? 'assistant' : 'user';
  const content = redact(said.content).text;
  const derived = `m_${contentHash([said.at.getTime(), role, said.sender, content].join('\n')).slice(0, DERIVED_ID)}`;
  return {
    id: said.id ?? derived,
    at,
    role,
    sender: redact(said.sender).text,
    content,
    ...(said.senderName === undefined ? {} : { senderName: redact(said.senderName).text }),
    ...(said.session === undefined ? {} : { session: redact(said.session).text }),
  };
}
