/** The previous sessions: their topics, and their lines of a brief. Only reads. */
import {
  isLive,
  type Memory,
  type MemoryKind,
  type Session,
  type SessionSummary,
  sourceOf,
  WORK_KINDS,
  plainLine,
  shortened,
} from '../../core/index.ts';
import type { MemoryIndex } from '../../database/index.ts';
import { importedSummary } from '../../memory/index.ts';
import { age } from '../ages.ts';
import { BRIEF } from '../ranking/weights.ts';
import { compared, isAlike, type Compared } from '../alike.ts';
import type { Line } from './_pack.ts';
import { saysSomething } from './prompt-context.ts';
import { cutToTokens, row, sentence } from './render.ts';

/** Sessions searched for one with content: opening and closing the client makes many empty ones. */
const LOOK_BACK = 30;
/** A session with this many turns is more than a greeting. */
const ALWAYS_WORK_FROM = 3;

/** Kinds by which a user recognises a session, best first. */
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

/** Sessions of the project with content, newest first, without the current one. */
export function pastSessions(
  index: MemoryIndex,
  project: string,
  current: string | undefined,
): readonly Session[] {
  const past = index
    .sessions({ project, limit: LOOK_BACK })
    .filter(({ id, turns, summary }) => id !== current && (turns > 0 || summary !== undefined));
  const worked = past.filter((session) => isWork(index, session));
  return worked.length > 0 ? worked : past.slice(0, 1);
}

/** Whether a session is more than a greeting. */
function isWork(index: MemoryIndex, session: Session): boolean {
  const { turns, summary } = session;
  if (turns >= ALWAYS_WORK_FROM || summary?.completed || summary?.learned) return true;
  if (saysSomething(about(index, session)) || sessionMemories(index, session).length > 0) return true;
  return unfinishedRequest(index, session) !== undefined;
}

/** The user's last request in a session, if the agent did not finish it. */
function unfinishedRequest(
  index: MemoryIndex,
  { id }: Session,
): { readonly prompt: string; readonly interrupted: boolean } | undefined {
  const last = index.turnsIn(id).findLast(({ origin }) => origin === 'person');
  if (last?.outcome !== 'interrupted' && last?.outcome !== 'open') return undefined;
  return { prompt: last.prompt, interrupted: last.outcome === 'interrupted' };
}

function sessionMemories(index: MemoryIndex, session: Session): readonly Memory[] {
  return index.memoriesBy({ session: session.id, project: session.project, limit: 50 });
}

/** The topic of a session in one line: its title, the request, or the first prompt. */
export function about(index: MemoryIndex, session: Session): string {
  const title = topic(session.title ?? '') || topic(session.summary?.request ?? '');
  return title || topic(index.turnsIn(session.id).find(({ origin }) => origin === 'person')?.prompt ?? '');
}

/** `2h ago, 5 turns` */
export function when(session: Session, now: Date): string {
  const turns = session.turns === 0 ? '' : `, ${session.turns} turn${session.turns === 1 ? '' : 's'}`;
  return `${age(session.lastAt, now)}${turns}`;
}

/** `Previous session (2h ago, 5 turns, on branch auth, interrupted)` */
export function previousHeading(
  session: Session,
  { now, branch: here }: { readonly now: Date; readonly branch?: string },
): string {
  const branch = session.branch && session.branch !== here ? `, on branch ${plainLine(session.branch)}` : '';
  const ended = session.status === 'interrupted' || session.status === 'failed' ? `, ${session.status}` : '';
  return `Previous session (${when(session, now)}${branch}${ended})`;
}

/** A memory with its title prepared for comparing. */
export interface Known {
  readonly memory: Memory;
  readonly title: Compared;
}

/**
 * Lines about the request, the findings and the result. A summary is a snapshot, so it does not repeat memories: those in
 * force have their own line with their evidence, and the others are over.
 */
export function previousLines(
  index: MemoryIndex,
  session: Session,
  known: readonly Known[],
  now: Date,
): readonly Line[] {
  const summary = trusted(index, session);
  const asked = cutToTokens(plainLine(summary.request ?? ''), BRIEF.requestTokens) || about(index, session);
  const learned = newPoints(summary.learned, known, () => false);
  const isWork = (memory: Memory): boolean => isLive(memory) && WORK_KINDS.includes(memory.kind);
  const work = sessionMemories(index, session).filter(isWork);
  const done = newPoints(summary.completed, known, (memory) => isLive(memory) && !isWork(memory));
  const unfinished = unfinishedRequest(index, session);
  const request = cutToTokens(plainLine(unfinished?.prompt ?? ''), BRIEF.requestTokens);
  const parts = [
    [unfinished?.interrupted ? 'Interrupted while' : 'Not finished', request === '' ? [] : [request]],
    ['Asked', [asked]],
    ['Learned', learned],
    ['Done', done],
  ] as const;
  const isNew = (point: string, part: number): boolean =>
    !parts
      .slice(0, part)
      .some(([, before]) => before.some((other) => isAlike(compared(point), compared(other))));
  const lines = parts.flatMap(([label, points], i) => {
    const text = points
      .filter((point) => point !== '' && isNew(point, i))
      .map(sentence)
      .join(' ');
    return text === '' ? [] : [{ text: () => `- ${label}: ${cutToTokens(text, BRIEF.summaryTokens)}` }];
  });
  return [...lines, ...work.slice(0, BRIEF.most.done).map((memory) => workLine(memory, now))];
}

/** `- Bugfix: Title (shown, 2 h, 7k2m9qx)`: the memory has evidence and an id, the summary has not. */
function workLine(memory: Memory, now: Date): Line {
  const kind = `${memory.kind.charAt(0).toUpperCase()}${memory.kind.slice(1)}`;
  return { text: () => `- ${kind}: ${row(memory, now, 'no kind').slice(2)}`, memory: memory.id };
}

/** Next steps of a session that no memory is about: an issue has its own line, or is resolved. */
export function nextSteps(index: MemoryIndex, session: Session, known: readonly Known[]): readonly string[] {
  return newPoints(trusted(index, session).next_steps, known, () => false).flatMap(clausesOf);
}

/** The summary, but only the request of one that rules wrote, if a better source has read the session since. */
function trusted(index: MemoryIndex, session: Session): Partial<SessionSummary> {
  const { id, summary } = session;
  if (summary === undefined || importedSummary(index, id, '')) return summary ?? {};
  const isByRules = sessionMemories(index, session).every((memory) => sourceOf(memory) === 'rules');
  return isByRules ? summary : { request: summary.request };
}

/** Sentences of a summary's field without what a memory says, unless `may` allows that memory. */
function newPoints(text = '', known: readonly Known[], may: (memory: Memory) => boolean): readonly string[] {
  const isNew = (clause: string): boolean => {
    const words = compared(clause);
    const same = known.filter(({ title }) => isAlike(words, title));
    return same.length === 0 || same.some(({ memory }) => may(memory));
  };
  return sentencesOf(text)
    .map((line) => clausesOf(line).filter(isNew).join('; '))
    .filter(Boolean);
}

/** Lines, bullets and sentences, without their marks. */
function sentencesOf(text: string): readonly string[] {
  return text
    .split(/\n|(?<=[.!?]["')]?)\s+(?=\p{Lu})|(?<=[。！？])/u)
    .map((line) => plainLine(line.replace(/^\s*(?:[-*•]|\d+[.)])\s+/, '')));
}

/** Rules write several titles into one line. */
function clausesOf(line: string): readonly string[] {
  return line.split(/;\s+/).filter(Boolean);
}

/** Sessions by their summary. Without one, the request of a session is named if no memory of it is in the brief. */
export function earlierLines(
  index: MemoryIndex,
  sessions: readonly Session[],
  { known, isTold, now }: { known: readonly Known[]; isTold: (memory: Memory) => boolean; now: Date },
): readonly Line[] {
  return sessions.slice(0, BRIEF.most.earlier).flatMap((session) => {
    const { request = '', completed } = trusted(index, session);
    if (completed === undefined && sessionMemories(index, session).some(isTold)) return [];
    const subject = completed === undefined ? `asked: ${topic(request)}` : about(index, session);
    const done = cutToTokens(newPoints(completed, known, isLive).join(' '), BRIEF.earlierTokens);
    const text = [subject, isAlike(compared(done), compared(subject)) ? '' : done]
      .filter(Boolean)
      .map(sentence)
      .join(' ');
    return text === '' ? [] : [{ text: () => `- ${when(session, now)}: ${text}` }];
  });
}

/** The line for the user: `Previous session (2h ago, 5 turns) | topic | topic` */
export function previousLine(index: MemoryIndex, session: Session, now: Date): string {
  const memories = sessionMemories(index, session).filter(isLive);
  const rank = ({ kind }: Memory): number => TOPIC_ORDER.indexOf(kind);
  const topics = memories.toSorted((a, b) => rank(a) - rank(b)).map(({ title }) => topic(title));
  const chosen = [...new Set(topics.filter(Boolean))].slice(0, BRIEF.most.topics);
  const named = chosen.length > 0 ? chosen : [about(index, session)].filter(Boolean);
  return [`Previous session (${when(session, now)})`, ...named].join(' | ');
}

/** Shortens a text to one line without a leading date; empty for a text like "session started". */
export function topic(text: string): string {
  const line = plainLine(text)
    .replace(LEADING_DATE, '')
    .replace(/\s*\|\s*/g, ' / ');
  if (SESSION_EVENT.test(line)) return '';
  const chars = [...line];
  let columns = 0;
  const end = chars.findIndex((char) => (columns += WIDE.test(char) ? 2 : 1) > BRIEF.topicColumns);
  if (end < 0) return line;
  return shortened(line, chars.slice(0, end).join('').length);
}

/** `2026-02-09 10:00: `, `[2026-02-09] `, `2/9/2026 - `, `2026年2月14日关于`, `Feb 14, 2026: `, `14 February 2026, ` */
const LEADING_DATE =
  /^[[(（【]?(?:on )?(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ][\d:.]+Z?)?|\d{1,2}\/\d{1,2}\/\d{2,4}|\d{4}\s*[年년]\s*\d{1,2}\s*[月월]\s*\d{1,2}\s*[日일](?:\s*[\d:：]+)?|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2},? \d{4}|\d{1,2} (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{4})[\])）】]?\s*[-–—:：·|,，、]?\s*(?:关于|關於)?\s*/i;

const SESSION_EVENT =
  /^[[【]?(?:session (?:start|end|started|ended|resumed|created|initiali[sz]ed)\b|(?:会话|會話)(?:已)?(?:开始|開始|结束|結束|恢复|恢復|创建|創建|初始化)|セッション(?:の)?(?:開始|終了|再開|作成)|세션\s?(?:시작|종료|재개|생성))/i;

/** Characters that take two columns of a terminal. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uff60]|\p{Emoji_Presentation}/u;
