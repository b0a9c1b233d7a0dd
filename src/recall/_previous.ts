/** The session before this one, and what it was about. Reads the index, writes nothing. */
import type { MemoryIndex } from '../index/index.ts';
import type { Memory, MemoryKind, Session } from '../model/index.ts';
import { plainLine } from '../privacy/index.ts';
import { age } from './ages.ts';
import { BRIEF } from './weights.ts';

/** Sessions looked at to find one in which something happened: opening and closing the client makes many that are empty. */
const LOOK_BACK = 20;

/** What a person recognises a session by, best first. */
const TOPIC_ORDER: readonly MemoryKind[] = [
  'decision',
  'bugfix',
  'feature',
  'dead_end',
  'issue',
  'discovery',
  'refactor',
  'pattern',
  'preference',
];

/** Sessions of the project in which something happened, newest first, without the current one. */
export function pastSessions(
  index: MemoryIndex,
  project: string,
  current: string | undefined,
): readonly Session[] {
  return index
    .sessions({ project, limit: LOOK_BACK })
    .filter(({ id, turns, summary }) => id !== current && (turns > 0 || summary !== undefined));
}

export function sessionMemories(index: MemoryIndex, session: Session): readonly Memory[] {
  return index.memoriesBy({ session: session.id, project: session.project, limit: 50 });
}

/** What it was about in one line: its title, what was asked, or the first prompt. */
export function about(index: MemoryIndex, session: Session): string {
  const said = topic(session.title ?? '') || topic(session.summary?.request ?? '');
  return said || topic(index.turnsIn(session.id).find(({ origin }) => origin === 'person')?.prompt ?? '');
}

/** `2h ago, 5 turns` */
export function when(session: Session, now: Date): string {
  const turns = session.turns === 0 ? '' : `, ${session.turns} turn${session.turns === 1 ? '' : 's'}`;
  return `${age(session.lastAt, now)}${turns}`;
}

/** The line for the user: `Previous session (2h ago, 5 turns) | topic | topic` */
export function previousLine(index: MemoryIndex, session: Session, now: Date): string {
  const memories = sessionMemories(index, session).filter(({ state }) => state !== 'superseded');
  const rank = ({ kind }: Memory): number => TOPIC_ORDER.indexOf(kind);
  const topics = memories.toSorted((a, b) => rank(a) - rank(b)).map(({ title }) => topic(title));
  const chosen = [...new Set(topics.filter(Boolean))].slice(0, BRIEF.most.topics);
  const named = chosen.length > 0 ? chosen : [about(index, session)].filter(Boolean);
  return [`Previous session (${when(session, now)})`, ...named].join(' | ');
}

/** Short, on one line, without the date in front; nothing for what only says that a session began or ended. */
export function topic(text: string): string {
  const line = plainLine(text)
    .replace(/^[[(]?\d{4}-\d\d-\d\d(?:[T ][\d:.]+Z?)?[\])]?\s*[-–—:·|,]?\s*/, '')
    .replace(/\s*\|\s*/g, ' / ');
  if (/^\[?session (?:start|end|started|ended|resumed|created)\b/i.test(line)) return '';
  const chars = [...line];
  if (chars.length <= BRIEF.topicChars) return line;
  const cut = chars.slice(0, BRIEF.topicChars - 1).join('');
  return `${cut.replace(/\s+\S{0,15}$/, '')}…`;
}
