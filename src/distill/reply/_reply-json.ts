/** Parses a JSON reply. Strict: a missing field, a wrong type or an unknown kind makes the whole reply invalid. */
import * as v from 'valibot';
import { MEMORY_KINDS, SUMMARY_FIELDS, type SessionSummary } from '../../core/index.ts';
import { OPERATION_NAMES } from '../prompts.ts';
import { tidyText, toReplyOperation, type ReplyOperation } from './_tidy-draft.ts';
import type { Parsed } from './parse-reply.ts';

const texts = v.array(v.string());
const text = v.optional(v.string(), '');
const list = v.optional(texts, []);
/** `kind` may be empty where the remembered entry has one. */
const OPERATIONS = v.object({
  operations: v.array(
    v.pipe(
      v.object({
        op: v.picklist(OPERATION_NAMES),
        id: text,
        ends: list,
        kind: v.optional(v.picklist(['', ...MEMORY_KINDS]), ''),
        title: v.pipe(text, v.trim()),
        body: text,
        reason: text,
        quote: text,
        facts: list,
        concepts: list,
        files: list,
      }),
      v.check(
        ({ op, kind, title }) => op !== 'add' || (kind !== '' && title !== ''),
        'add needs kind and title',
      ),
    ),
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

export function operationsFromJson(json: unknown): Parsed<readonly ReplyOperation[]> {
  const parsed = v.safeParse(OPERATIONS, json);
  if (!parsed.success) return invalid(parsed.issues[0]);
  return { valid: true, value: parsed.output.operations.map(toReplyOperation) };
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
