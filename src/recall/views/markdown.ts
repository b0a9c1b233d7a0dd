/**
 * Pages in Markdown for people: what to know about a project now, and what happened in a session. Made on request, never
 * stored. Only reads.
 */
import {
  given,
  isLive,
  plainLine,
  shortId,
  SUMMARY_FIELDS,
  withoutNotes,
  type Memory,
  type Session,
} from '../../core/index.ts';
import type { IndexedTurn, MemoryIndex } from '../../database/index.ts';
import { cutToTokens, sentence } from '../context/render.ts';
import { titleOfSession } from './session-title.ts';

/** Entries per section, and files: a page that is read, not an archive. */
const MOST_LISTED = 50;
/** Memories of a session, or searched for the files that matter; and tokens of a prompt, to recognise it. */
const MOST_SEARCHED = 2000;
const PROMPT_TOKENS = 60;

/** Sections of a project's page: what is open first, then what is in force. */
const SECTIONS = ['issue', 'preference', 'pattern', 'decision', 'dead_end'] as const;

/** Returns the page of a session, or of a project; undefined if it is not known or nothing is remembered about it. */
export function markdownPage(index: MemoryIndex, project = '', session = ''): string | undefined {
  const found = index.session(session);
  return found ? sessionPage(index, found) : projectPage(index, project);
}

function projectPage(index: MemoryIndex, project: string): string | undefined {
  const entries = SECTIONS.map((kind) => {
    const memories = index.memoriesBy({ project, kind, state: ['open', 'current'], limit: MOST_LISTED });
    return section(`${kind === 'issue' ? 'open issue' : kind.replace('_', ' ')}s`, memories.map(entryLine));
  });
  const parts = [...entries, section('Where things are', fileLines(index, project))].flat();
  if (parts.length === 0) return undefined;
  return [`# ${plainLine(index.project(project)?.name ?? project)}: what to know now`, ...parts].join('\n\n');
}

function sessionPage(index: MemoryIndex, session: Session): string {
  const memories = index.memoriesBy({ session: session.id, order: 'oldest', limit: MOST_SEARCHED });
  const ofKind = (memory: Memory) => `- ${memory.kind.replace('_', ' ')}: ${entryLine(memory).slice(2)}`;
  return [
    ...headOf('#', { ...session, ...given({ title: titleOfSession(index, session) }) }),
    ...section('Turns', index.turnsIn(session.id).map(turnLine)),
    ...section('Memories', memories.map(ofKind)),
  ].join('\n\n');
}

/** Returns the sessions with turns and their summaries, for a stand-up or a handover. */
export function sessionsMarkdown(sessions: readonly Session[]): string {
  return sessions.flatMap((session) => (session.turns > 0 ? headOf('##', session) : [])).join('\n\n');
}

function headOf(level: '#' | '##', session: Session): readonly string[] {
  const { id, title, project, agent, startedAt, turns, status, summary } = session;
  const count = turns === 1 ? '1 turn' : `${turns} turns`;
  const facts = [minute(startedAt), project, agent, count, status, `\`${id}\``];
  const fields = SUMMARY_FIELDS.flatMap((field) => {
    const said = plainLine(summary?.[field] ?? '');
    return said === '' ? [] : [`- **${field.replace('_', ' ')}**: ${said}`];
  });
  const heading = `${level} ${plainLine(title ?? '(no title)')}`;
  return [heading, facts.join(' · '), fields.join('\n')].filter((part) => part !== '');
}

function section(heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`## ${heading[0]?.toUpperCase()}${heading.slice(1)}`, lines.join('\n')];
}

/** `- Amounts are integer cents. Why: floats lost a cent. (superseded) \`644beex\`` */
function entryLine(memory: Memory): string {
  const { title, body, reason, state } = memory;
  const said = [sentence(title), sentence(body), reason ? `Why: ${sentence(reason)}` : ''].filter(Boolean);
  return `- ${said.join(' ')}${isLive(memory) ? '' : ` (${state})`} \`${shortId(memory.id)}\``;
}

/** `- 2026-11-19 14:32 Rotate refresh tokens → Tokens rotate now. · src/auth.ts · 3f2a1bc feat: rotate tokens` */
function turnLine({ at, prompt, answer, origin, outcome, edited = [], commits = [] }: IndexedTurn): string {
  const asked = cutToTokens(plainLine(prompt.trim().split('\n')[0] ?? ''), PROMPT_TOKENS);
  // An answer ends with its result.
  const done = cutToTokens(plainLine(withoutNotes(answer).trim().split('\n').at(-1) ?? ''), PROMPT_TOKENS);
  const facts = [
    `${asked || '(no prompt)'}${done === '' ? '' : ` → ${done}`}`,
    ...(origin === 'person' ? [] : [origin]),
    ...(outcome === 'answered' ? [] : [outcome]),
    ...edited.map((file) => `\`${plainLine(file)}\``),
    ...commits.map(({ hash = '', subject }) => plainLine(`${hash} ${subject}`.trim())),
  ];
  return `- ${minute(at)} ${facts.join(' · ')}`;
}

/** The files that most memories are about, each with the latest of them. */
function fileLines(index: MemoryIndex, project: string): readonly string[] {
  const states = ['current', 'open', 'resolved'] as const;
  const memories = index.memoriesBy({ project, state: states, limit: MOST_SEARCHED });
  const about = Map.groupBy(
    memories.flatMap(({ files, title }) => [...new Set(files)].map((file) => ({ file, title }))),
    ({ file }) => file,
  );
  return [...about]
    .toSorted(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1))
    .slice(0, MOST_LISTED)
    .map(([file, [latest]]) => `- \`${plainLine(file)}\`: ${sentence(latest?.title ?? '')}`);
}

const minute = (time: string): string => time.slice(0, 16).replace('T', ' ');
