/**
 * Normalises memories and heads before they are written: removes outer blanks, carriage returns, control characters and
 * empty items. Everything else is read back exactly as it was written.
 */
import {
  given,
  ID_PATTERN,
  SUMMARY_FIELDS,
  TidemarkError,
  type Memory,
  type SessionSummary,
  type SummaryField,
} from '../../../core/index.ts';
import type { SessionHead } from '../types.ts';

/** Returns the fields that have a value: leaves out undefined, empty texts, empty lists and zero. */
export function filled<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const hasValue = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => hasValue(value))) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  }; // only keys of T with a value are left
}

export function tidyMemory(memory: Memory): Memory {
  if (!ID_PATTERN.test(memory.id)) throw new TidemarkError('journal.bad-id', `not a memory id: ${memory.id}`);
  if (Number.isNaN(Date.parse(memory.at)))
    throw new TidemarkError('journal.bad-time', `memory ${memory.id} has no valid time: ${memory.at}`);
  const {
    reason,
    branch,
    supersedes,
    supersededBy,
    resolvedBy,
    seen,
    author,
    personal: _,
    ...other
  } = memory;
  const { ended, evidence, ...rest } = other;
  return {
    ...rest,
    title: oneLine(memory.title),
    body: tidyBody(memory.body),
    ...filled({ reason: tidyText(reason ?? '') }),
    facts: items(memory.facts, tidyText),
    concepts: items(memory.concepts, oneLine),
    files: items(memory.files, oneLine),
    provenance: {
      agent: oneLine(memory.provenance.agent),
      session: oneLine(memory.provenance.session),
      turn: oneLine(memory.provenance.turn),
      messages: items(memory.provenance.messages, oneLine),
      by: oneLine(memory.provenance.by),
      ...filled({ also: items(memory.provenance.also ?? [], oneLine) }),
    },
    ...filled({
      branch: oneLine(branch ?? ''),
      supersedes: items(supersedes ?? [], oneLine),
      supersededBy: oneLine(supersededBy ?? ''),
      resolvedBy: oneLine(resolvedBy ?? ''),
      ended,
      evidence,
      seen: seen !== undefined && seen > 1 ? seen : undefined,
      author: oneLine(author ?? ''),
    }),
  };
}

export function tidyHead(head: SessionHead): SessionHead {
  if (Number.isNaN(Date.parse(head.startedAt)))
    throw new TidemarkError('journal.bad-time', `session ${head.id} has no valid time: ${head.startedAt}`);
  const { summary, ...rest } = head;
  return {
    ...rest,
    id: oneLine(head.id),
    agent: oneLine(head.agent),
    title: oneLine(head.title),
    ...given({ summary: tidySummary(summary) }),
  };
}

/** Returns all eight fields, or undefined when all are empty. */
export function tidySummary(
  summary: Readonly<Partial<Record<SummaryField, string>>> | undefined,
): SessionSummary | undefined {
  if (!summary) return undefined;
  const fields = SUMMARY_FIELDS.map((field) => [field, tidyText(summary[field] ?? '')] as const);
  if (fields.every(([, text]) => text === '')) return undefined;
  return Object.fromEntries(fields) as SessionSummary; // contains every field of SUMMARY_FIELDS
}

/** Trims a text of several lines and each line end. */
export function tidyText(text: string): string {
  return visible(text)
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
}

/** Trims a body but keeps its indentation and line ends (two blanks are a line break in Markdown). */
export function tidyBody(text: string): string {
  const body = visible(text).replace(/^(?:[^\S\n]*\n)+/, '');
  return body.trimEnd();
}

function oneLine(text: string): string {
  return visible(text).replace(/\s+/g, ' ').trim();
}

function items(list: readonly string[], tidy: (text: string) => string): readonly string[] {
  return list.map(tidy).filter((item) => item !== '');
}

/** Removes control characters: they make the file binary for grep and control the terminal that shows it. */
function visible(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, '');
}
