/**
 * Reads a day file or a monthly archive. Lenient: accepts what the user typed, and reports what it cannot read with its
 * line. Pure.
 */
import type { Memory } from '../../../core/index.ts';
import type { DayContext, JournalProblem, ParsedDay, ParsedEntry, SessionHead } from '../types.ts';
import type { Attributes } from './comment.ts';
import { derivedId, humanLines, readEntry, sameText } from './entry.ts';
import { parseDayHeading } from './heading.ts';
import { scanText, type Part } from './scan.ts';
import { readHead, type OpenHead } from './session.ts';

export function parseDay(text: string, context: DayContext): ParsedDay {
  const { parts, problems: found } = scanText(text);
  const entries: ParsedEntry[] = [];
  const heads = new Map<string, OpenHead>();
  const firsts = new Map<string, string>(); // time of the first entry of each session, for a head without a start time
  const seen = new Map<string, Part>();
  const problems: JournalProblem[] = found.map((problem) => ({ file: context.file, ...problem }));
  const report = (line: number, reason: string): void =>
    void problems.push({ file: context.file, line, reason });
  const reportMalformed = (part: Part, { malformed }: Attributes): void => {
    if (malformed.length > 0) report(part.line, `cannot read ${malformed.join(', ')} in the comment`);
  };
  let date = context.date;

  for (const part of parts) {
    if (part.kind === 'day') date = parseDayHeading(humanLines(part)[0] ?? '') ?? date;
    if (part.kind === 'session') {
      const { head, attributes } = readHead(part);
      reportMalformed(part, attributes);
      if (!heads.has(head.id)) heads.set(head.id, head);
    }
    if (part.kind !== 'entry') continue;
    const { memory, attributes } = readEntry(part, { project: context.project, date });
    reportMalformed(part, attributes);
    const entry = assignId(part, memory, seen);
    if (entry === undefined) {
      const id = part.comment?.id ?? '';
      const first = seen.get(id)?.line;
      report(
        part.line,
        `a copy of the entry${first === undefined ? '' : ` on line ${first}`}: delete one of the two`,
      );
      continue;
    }
    entries.push({ ...entry, line: part.line });
    const { provenance, at } = entry.memory;
    const first = firsts.get(provenance.session);
    if (first === undefined || at < first) firsts.set(provenance.session, at);
  }
  const sessions = [...heads.values()].map((head): SessionHead => {
    const startedAt = head.startedAt ?? firsts.get(head.id) ?? `${context.date}T00:00:00.000Z`;
    return { ...head, startedAt, project: context.project };
  });
  problems.sort((a, b) => a.line - b.line);
  return { entries, sessions, problems };
}

/** The first entry keeps its id; an equal one is a copy (undefined); a different one with the same id gets its own. */
function assignId(
  part: Part,
  memory: Memory,
  seen: Map<string, Part>,
): Omit<ParsedEntry, 'line'> | undefined {
  const known = seen.get(memory.id);
  if (!known) {
    seen.set(memory.id, part);
    return { memory, derived: part.comment === undefined };
  }
  if (sameText(known, part)) return undefined;
  const id = derivedId(part, memory.at, memory.kind);
  if (seen.has(id)) return undefined;
  seen.set(id, part);
  return { memory: { ...memory, id }, derived: true };
}
