/**
 * Parses a model's reply: JSON that matches the schema, or XML blocks with prose and fences around them. Pure. A valid
 * reply may be long or untidy and is cut to size.
 */
import type { SessionSummary } from '../../core/index.ts';
import { jsonIn, operationsFromJson, summaryFromJson } from './_reply-json.ts';
import { operationsFromXml, summaryFromXml } from './_reply-xml.ts';
import { toReplyOperation, type ReplyOperation } from './_tidy-draft.ts';

export { toReplyOperation, type ReplyOperation };

export type Parsed<T> =
  | { readonly valid: true; readonly value: T }
  | { readonly valid: false; readonly reason: string };

/** A longer reply is a broken model or an attack. */
export const MAX_REPLY = 256 * 1024;
/** More from one turn would not be read. */
const MAX_OPERATIONS = 12;

export function parseOperations(reply: string): Parsed<readonly ReplyOperation[]> {
  const parsed = parse(reply, operationsFromJson, operationsFromXml);
  return parsed.valid ? { valid: true, value: parsed.value.slice(0, MAX_OPERATIONS) } : parsed;
}

export function parseSummary(reply: string): Parsed<SessionSummary> {
  return parse(reply, summaryFromJson, summaryFromXml);
}

function parse<T>(
  reply: string,
  fromJson: (json: unknown) => Parsed<T>,
  fromXml: (text: string) => Parsed<T>,
): Parsed<T> {
  if (reply.length > MAX_REPLY) return { valid: false, reason: 'too long' };
  const json = jsonIn(reply);
  return json === undefined ? fromXml(reply) : fromJson(json);
}
