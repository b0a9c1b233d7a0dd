/** Stores messages and session events, each once, before the client gets "queued" as the answer. */
import { given, shortHash } from '../../core/index.ts';
import { insertMessages, insertSessionEvents, type Work } from '../store/index.ts';
import { projectOfGroup } from './group.ts';
import { sessionEventOf, type Message } from './message.ts';

/** The messages of one request. */
export interface Received {
  readonly group: string;
  /** The name of the project, if it is new. */
  readonly name?: string;
  readonly messages: readonly Message[];
}

const MEMBER_CHARS = 6;

/** @returns how many new messages were queued */
export async function storeMessages(
  work: Work,
  { group, name, messages }: Received,
  request: { readonly id: string; readonly apiKey: string },
): Promise<number> {
  const parsed = messages.map((message) => ({ message, event: sessionEventOf(message) }));
  const events = parsed.flatMap(({ message, event }) => (event ? [{ message, event }] : []));
  const spoken = parsed.filter(({ event }) => !event).map(({ message }) => message);
  const folder = events.find(({ event }) => event.folder !== undefined)?.event.folder;
  const { project, key } = await projectOfGroup(work, {
    group,
    name: name ?? folder,
    apiKey: request.apiKey,
  });
  await insertSessionEvents(
    work,
    project,
    events.map(({ message, event }) => ({
      ...idsOf(work, key, message),
      event: event.event,
      at: message.at,
      detail: { member: work.member, ...given({ session: event.session }) },
    })),
  );
  return insertMessages(
    work,
    project,
    request.id,
    spoken.map((message) => ({
      ...idsOf(work, key, message),
      sender: message.sender,
      ...given({ senderName: message.senderName }),
      role: message.role,
      content: message.content,
      createTime: message.at,
      detail: { id: message.id, ...given({ session: message.session }) },
    })),
  );
}

/** Includes the member: clients use the millisecond as the message id, and two members may send at the same time. */
function idsOf(work: Work, key: string, { id, sender }: Message) {
  return { groupId: key, messageId: `${shortHash(work.member, MEMBER_CHARS)}/${id}`, userId: sender };
}
