/** Finds in a request to the model what hooks put there. */
import { textOf, type Message, type ModelRequest } from './mock-model.ts';

export interface HookContext {
  /** SessionStart, UserPromptSubmit … */
  readonly event: string;
  readonly text: string;
}

const CONTEXT = /^(\w+)(?::\w+)? hook (?:additional context|success): ([\s\S]*)$/;
/** The client joins everything it has to say into one message; these open what it says itself. */
const NEXT_PIECE =
  /\n\n(?=\w+(?::\w+)? hook (?:additional context|success): |# Environment\n|Available agent types |The following (?:deferred tools|skills) |Today's date is |You are powered by )/;

/** Newer models get one `system` message, older ones a <system-reminder> per context inside the user's message. */
export function contextsOf(request: ModelRequest): HookContext[] {
  return request.messages.flatMap(piecesOf).flatMap((piece) => {
    const [, event, text] = CONTEXT.exec(piece.trim()) ?? [];
    return event !== undefined && text !== undefined ? [{ event, text }] : [];
  });
}

/** All that one event's hooks put into a request, joined; empty when they put nothing. */
export function contextOf(request: ModelRequest | undefined, event: string): string {
  const contexts = request ? contextsOf(request) : [];
  return contexts.flatMap((context) => (context.event === event ? [context.text] : [])).join('\n');
}

function piecesOf(message: Message): string[] {
  const text = textOf(message);
  if (message.role === 'system') return text.split(NEXT_PIECE);
  return [...text.matchAll(/<system-reminder>([\s\S]*?)<\/system-reminder>/g)].map(([, inner = '']) => inner);
}
