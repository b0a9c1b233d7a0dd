/**
 * The normal form of what goes into a day file: what cannot be seen is not kept (outer blanks, carriage returns,
 * control characters, empty items). Everything else comes back from the file exactly as it went in.
 */
import {
  ID_PATTERN,
  SUMMARY_FIELDS,
  TidemarkError,
  type Memory,
  type SessionSummary,
  type SummaryField,
} from '../../../core/index.ts';
import type { SessionHead } from '../types.ts';

export function tidyMemory(memory: Memory): Memory {
  if (!ID_PATTERN.test(memory.id))
    throw new TidemarkError('journal.bad-id', `not the id of a memory: ${memory.id}`);
  if (Number.isNaN(Date.parse(memory.at)))
    throw new TidemarkError('journal.bad-time', `memory ${memory.id} has no time: ${memory.at}`);
  const { reason, branch, supersedes, supersededBy, resolvedBy, seen, author, personal: _, ...rest } = memory;
  const why = tidyText(reason ?? '');
  const replaces = items(supersedes ?? [], oneLine);
  const also = items(memory.provenance.also ?? [], oneLine);
  return {
    ...rest,
    title: oneLine(memory.title),
    body: tidyBody(memory.body),
    ...(why ? { reason: why } : {}),
    facts: items(memory.facts, tidyText),
    concepts: items(memory.concepts, oneLine),
    files: items(memory.files, oneLine),
    provenance: {
      agent: oneLine(memory.provenance.agent),
      session: oneLine(memory.provenance.session),
      turn: oneLine(memory.provenance.turn),
      messages: items(memory.provenance.messages, oneLine),
      by: oneLine(memory.provenance.by),
      ...(also.length > 0 ? { also } : {}),
    },
    ...(branch && oneLine(branch) ? { branch: oneLine(branch) } : {}),
    ...(replaces.length > 0 ? { supersedes: replaces } : {}),
    ...(supersededBy && oneLine(supersededBy) ? { supersededBy: oneLine(supersededBy) } : {}),
    ...(resolvedBy && oneLine(resolvedBy) ? { resolvedBy: oneLine(resolvedBy) } : {}),
    ...(seen !== undefined && seen > 1 ? { seen } : {}),
    ...(author && oneLine(author) ? { author: oneLine(author) } : {}),
  };
}

export function tidyHead(head: SessionHead): SessionHead {
  if (Number.isNaN(Date.parse(head.startedAt)))
    throw new TidemarkError('journal.bad-time', `session ${head.id} has no time: ${head.startedAt}`);
  const { summary, ...rest } = head;
  const told = tidySummary(summary);
  return {
    ...rest,
    id: oneLine(head.id),
    agent: oneLine(head.agent),
    title: oneLine(head.title),
    ...(told ? { summary: told } : {}),
  };
}

/** All eight fields, or nothing where all are empty. */
export function tidySummary(
  summary: Readonly<Partial<Record<SummaryField, string>>> | undefined,
): SessionSummary | undefined {
  if (!summary) return undefined;
  const fields = SUMMARY_FIELDS.map((field) => [field, tidyText(summary[field] ?? '')] as const);
  if (fields.every(([, text]) => text === '')) return undefined;
  return Object.fromEntries(fields) as SessionSummary; // every field of SUMMARY_FIELDS is there
}

/** Text of several lines in a field: nothing outside, no blanks at the end of a line. */
export function tidyText(text: string): string {
  return visible(text)
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
}

/** The body keeps its indentation and its line ends (two blanks are a break in Markdown). */
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

/** Control characters would make the file binary for grep, and speak to the terminal that shows it. */
function visible(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '');
}
