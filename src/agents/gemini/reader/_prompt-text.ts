/** Extracts the user's own text from a message of Gemini CLI: removes what the client, an editor or a hook added. Pure. */
import { objectsIn, textOf, type JsonObject } from '../../reading/json.ts';
import { withoutHookContext } from '../hook-context.ts';
import { asTyped } from '../../reading/own-command.ts';

const CONTEXT = '<session_context>';
/** The content of files named with `@`, which follows the user's text. Newer versions also store the text as it was typed. */
const REFERENCED = /\n--- Content from referenced files ---[\s\S]*$/;
/** Messages that the client sends in the name of the user. */
const BY_CLIENT =
  /^(?:Please continue\.$|I ran the following shell command:\n```sh\n|Here is the user's editor context as a JSON object\.|Here is a summary of changes in the user's editor context)/;

/** The texts of a message's content, which is a text or a list of parts. */
export function textsOf(content: unknown): readonly string[] {
  if (typeof content === 'string') return [content];
  return objectsIn(content).flatMap((part) => textOf(part['text']) ?? []);
}

export function isContext(text: string): boolean {
  return text.trimStart().startsWith(CONTEXT);
}

/** Empty for a message that the user did not type, such as the result of a tool. */
export function promptOf(message: JsonObject): string {
  const shown = message['displayContent'];
  const content = shown ?? message['content'];
  const text = textsOf(content).join(shown === undefined ? '\n' : '');
  const own = asTyped(withoutHookContext(text).replace(REFERENCED, '').trim());
  const images = objectsIn(message['content']).filter((part) => 'inlineData' in part || 'fileData' in part);
  if (BY_CLIENT.test(own)) return '';
  return [own, ...images.map(() => '[image]')].filter(Boolean).join('\n\n');
}
