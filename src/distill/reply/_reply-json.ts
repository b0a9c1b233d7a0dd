/** Parses a JSON reply. Strict: a missing field, a wrong type or an unknown kind makes the whole reply invalid. */
import * as v from 'valibot';
import { MEMORY_KINDS, SUMMARY_FIELDS, type MemoryDraft, type SessionSummary } from '../../core/index.ts';
import { toDraft, tidyText } from './_tidy-draft.ts';
import type { Parsed } from './parse-reply.ts';

const texts = v.array(v.string());
const MEMORIES = v.object({
  memories: v.array(
    v.object({
      kind: v.picklist(MEMORY_KINDS),
      title: v.pipe(v.string(), v.trim(), v.minLength(1)),
      body: v.string(),
      reason: v.optional(v.string(), ''),
      facts: v.optional(texts, []),
      concepts: v.optional(texts, []),
      files: v.optional(texts, []),
      state: v.optional(v.picklist(['', 'open', 'resolved']), ''),
    }),
  ),
});
const TEXT_OR_LIST = v.union([v.string(), texts]);
const SUMMARY = v.object(
  Object.fromEntries(SUMMARY_FIELDS.map((field) => [field, TEXT_OR_LIST])) as Record<
    keyof SessionSummary,
    typeof TEXT_OR_LIST
  >,
);

/** The JSON value of a reply, alone or as its only fenced block; undefined for any other text. */
export function jsonIn(reply: string): unknown {
  const trimmed = reply.replace(/^\uFEFF/, '').trim();
  const fenced = /^[^`]*```(?:json)?\s*([[{][\s\S]*?)```[^`]*$/.exec(trimmed)?.[1];
  for (const text of [trimmed, fenced]) {
    if (text === undefined || !/^[[{]/.test(text)) continue;
    try {
      return JSON.parse(text) as unknown;
    } catch {
      // not JSON, or half of it
    }
  }
  return undefined;
}

export function memoriesFromJson(json: unknown): Parsed<readonly MemoryDraft[]> {
  const parsed = v.safeParse(MEMORIES, json);
  if (!parsed.success) return invalid(parsed.issues[0]);
  return { valid: true, value: parsed.output.memories.map(toDraft) };
}

export function summaryFromJson(json: unknown): Parsed<SessionSummary> {
  const parsed = v.safeParse(SUMMARY, json);
  if (!parsed.success) return invalid(parsed.issues[0]);
  const entries = SUMMARY_FIELDS.map((field) => {
    const value = parsed.output[field];
    return [field, tidyText(typeof value === 'string' ? value : value.join(', '))] as const;
  });
  return { valid: true, value: Object.fromEntries(entries) as SessionSummary };
}

function invalid(issue: v.BaseIssue<unknown>): { readonly valid: false; readonly reason: string } {
  return { valid: false, reason: `${v.getDotPath(issue) ?? 'reply'}: ${issue.message}`.slice(0, 200) };
}
