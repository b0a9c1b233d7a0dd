/**
 * Parses a model's reply: JSON that matches the schema, or XML blocks with prose and fences around them. Pure. A valid
 * reply may be long or untidy and is cut to size.
 */
import type { MemoryDraft, SessionSummary } from '../../core/index.ts';
import { jsonIn, memoriesFromJson, summaryFromJson } from './_reply-json.ts';
import { memoriesFromXml, summaryFromXml } from './_reply-xml.ts';

export type Parsed<T> =
  | { readonly valid: true; readonly value: T }
  | { readonly valid: false; readonly reason: string };

/** A longer reply is a broken model or an attack. */
export const MAX_REPLY = 256 * 1024;
/** More memories from one turn would not be read. */
const MAX_MEMORIES = 6;

export function parseMemories(reply: string): Parsed<readonly MemoryDraft[]> {
  const parsed = parse(reply, memoriesFromJson, memoriesFromXml);
  return parsed.valid ? { valid: true, value: parsed.value.slice(0, MAX_MEMORIES) } : parsed;
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
