/** Renders and reads the head of a session: heading, comment, summary as bullets, and the user's notes below. */
import { SUMMARY_FIELDS, type SessionStatus, type SummaryField } from '../../../core/index.ts';
import type { SessionHead } from '../types.ts';
import { parseAttributes, renderComment, textOf, type Attributes } from './comment.ts';
import { humanLines, sumOf } from './entry.ts';
import { markFences } from './fence.ts';
import { fieldText, indent, splitBlocks } from './fields.ts';
import { parseSessionTitle, renderSessionHeading } from './heading.ts';
import { filled, tidySummary } from './normalise.ts';
import type { Part } from './scan.ts';

/** A head whose start time may be unknown, because only entries of the session arrived so far. */
export type OpenHead = Omit<SessionHead, 'startedAt'> & { readonly startedAt?: string };

export interface ReadHead {
  readonly head: OpenHead;
  readonly attributes: Attributes;
  /** The user changed the heading or the summary. */
  readonly edited: boolean;
  /** The text below the summary, verbatim. */
  readonly notes: string;
}

const STATUSES: readonly string[] = ['active', 'completed', 'interrupted', 'failed'];

export function renderHead(
  head: OpenHead,
  date: string,
  unknown: readonly string[] = [],
  notes = '',
): string {
  const heading = renderSessionHeading(head.startedAt, date, head.title);
  const bullets = SUMMARY_FIELDS.filter((field) => head.summary?.[field])
    .map((field) => `- ${labelOf(field)}: ${indent(head.summary?.[field] ?? '')}`)
    .join('\n');
  const sum = sumOf([heading, ...bullets.split('\n')], true);
  const comment = headComment(head, sum, unknown);
  const top = `${heading}\n${comment}\n${bullets === '' ? '' : `${bullets}\n`}`;
  return notes === '' ? top : `${top}\n${notes}\n`;
}

export function headComment(head: OpenHead, sum: string, unknown: readonly string[]): string {
  const values = { agent: head.agent, started: head.startedAt ?? '', status: head.status ?? '', sum };
  return renderComment(['session', head.id], values, unknown);
}

export function readHead(part: Part): ReadHead {
  const attributes = parseAttributes(part.comment?.words ?? '');
  const lines = humanLines(part);
  const blocks = splitBlocks(markFences(lines.slice(1)), summaryField);
  const fields: Partial<Record<SummaryField, string>> = {};
  const machine: string[] = [lines[0] ?? ''];
  const notes: string[] = [];
  for (const { kind, lines: block } of blocks) {
    if (!isField(kind)) {
      notes.push(block.join('\n'));
      continue;
    }
    fields[kind] = [fields[kind], fieldText(block)].filter(Boolean).join('\n');
    machine.push(`- ${labelOf(kind)}: ${block.join('\n')}`);
  }
  const started = textOf(attributes, 'started');
  const status = textOf(attributes, 'status');
  const head: OpenHead = {
    id: part.comment?.id ?? '',
    agent: textOf(attributes, 'agent'),
    title: parseSessionTitle(lines[0] ?? ''),
    ...(started && !Number.isNaN(Date.parse(started)) ? { startedAt: started } : {}),
    ...(STATUSES.includes(status) ? { status: status as SessionStatus } : {}), // one of STATUSES
    ...filled({ summary: tidySummary(fields) }),
  };
  return {
    head,
    attributes,
    edited: textOf(attributes, 'sum') !== sumOf(machine, true),
    notes: notes.join('\n\n').trim(),
  };
}

/** Combines two heads: a field that is missing in `now` is taken from `before`. */
export function mergeHeads(before: OpenHead, now: OpenHead): OpenHead {
  return {
    id: now.id,
    agent: now.agent || before.agent,
    title: now.title || before.title,
    ...filled({
      startedAt: now.startedAt ?? before.startedAt,
      status: now.status ?? before.status,
      summary: now.summary ?? before.summary,
    }),
  };
}

/** `next_steps` → `Next steps` */
function labelOf(field: SummaryField): string {
  const words = field.replace('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function summaryField(line: string): readonly [string, number] | undefined {
  const bullet = /^[-*+][ \t]+([A-Za-z]+(?: [a-z]+)?):[ \t]*/.exec(line);
  const field = bullet?.[1]?.toLowerCase().replace(' ', '_');
  if (bullet && field && isField(field)) return [field, bullet[0].length];
  return /^[-*+](?:[ \t]|$)/.test(line) ? ['body', 0] : undefined;
}

function isField(kind: string): kind is SummaryField {
  return (SUMMARY_FIELDS as readonly string[]).includes(kind);
}
