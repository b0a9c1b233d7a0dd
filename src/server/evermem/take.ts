/** Takes messages in: redacted, each once, in the database before anybody is told that they are queued. */
import { given, shortHash } from '../../core/index.ts';
import { insertMessages, insertSessionEvents, type Work } from '../store/index.ts';
import type { Message } from './message.ts';
import { placeFor } from './places.ts';
import { sessionEventOf } from './session-event.ts';
import type { Received } from './v0.ts';

const MEMBER_HASH = 6;

interface Request {
  readonly id: string;
  /** The id of the key it came with. */
  readonly apiKey: string;
}

/** @returns how many of them will become memories, if they were not here before */
export async function take(
  work: Work,
  { group, name, messages }: Received,
  { id, apiKey }: Request,
): Promise<number> {
  const events = messages.flatMap((message) => {
    const event = sessionEventOf(message);
    return event ? [{ message, event }] : [];
  });
  const folder = events.find(({ event }) => event.folder !== undefined)?.event.folder;
  const { project, key } = await placeFor(work, { group, name: name ?? folder, apiKey });
  const said = messages.filter((message) => !events.some((one) => one.message === message));
  if (events.length > 0)
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
  if (said.length === 0) return 0;
  return insertMessages(
    work,
    project,
    id,
    said.map((message) => ({
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

/** Its clients name messages by the millisecond: what two people of one group send at once must not be taken for one. */
function idsOf(work: Work, key: string, { id, sender }: Message) {
  return { groupId: key, messageId: `${shortHash(work.member, MEMBER_HASH)}/${id}`, userId: sender };
}
