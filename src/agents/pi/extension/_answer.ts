/** Finds what the agent said last in the messages of a run. Pure. */
import { isObject, objectsIn, textOf } from '../../reading/json.ts';

export function answerIn(messages: readonly unknown[]): string {
  const last = messages.filter(isObject).findLast(({ role }) => role === 'assistant');
  return objectsIn(last?.['content'])
    .flatMap((block) => (block['type'] === 'text' ? (textOf(block['text'])?.trim() ?? []) : []))
    .join('\n\n');
}
