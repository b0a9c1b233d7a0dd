/** The work of a recap: what the turns of a project changed, one item per commit, else per turn. Pure. */
import { given, type Commit, type Evidence } from '../../core/index.ts';
import type { IndexedTurn } from '../../database/index.ts';
import { doneIn, ORDER, wordsOf } from '../../distill/index.ts';
import type { WorkLog } from '../../storage/journal/index.ts';
import { compared, isAlike, type Compared } from '../alike.ts';
import { readable, requestLine } from './_recap-wording.ts';

/** A turn of the user with all it changed, the work of its subagents included. */
export interface Step {
  readonly turn: IndexedTurn;
  readonly files: readonly string[];
  readonly commits: readonly Commit[];
  /** The user's own words about it. */
  readonly said?: string;
}

export interface WorkItem {
  readonly text: string;
  /** Whether a commit says that it fixes something. */
  readonly isFix: boolean;
  /** `claimed`: in the agent's words. */
  readonly evidence: Evidence;
  /** The last turn that worked on it. */
  readonly turn: IndexedTurn;
  readonly files: readonly string[];
  readonly commits: readonly string[];
}

const CONVENTIONAL =
  /^(?<type>feat|fix|docs|refactor|perf|test|tests|chore|build|ci|style|revert)(?:\([^)]*\))?!?:\s*(?<subject>.+)$/i;
/** Says nothing about the work. */
const EMPTY_SUBJECT =
  /^(?:wip|tmp|temp|save|checkpoint|initial commit|merge\b.*|update|updates|changes|fix|fixes)$/i;
const FIXES = /^(?:fix|fixes|fixed|bugfix|hotfix)\b/i;
/** A request that says what to do, not only "do it". */
const LEAST_REQUEST_WORDS = 4;
const MOST_NAMED = 3;

/** Returns the turns of a session that changed something, oldest first. */
export function stepsOf(turns: readonly IndexedTurn[]): readonly Step[] {
  const steps: { turn: IndexedTurn; files: Set<string>; commits: Commit[] }[] = [];
  for (const turn of turns) {
    const own = turn.origin === 'person' ? undefined : steps.at(-1);
    const step = own ?? { turn, files: new Set<string>(), commits: [] };
    for (const file of turn.edited ?? []) step.files.add(file);
    step.commits.push(...(turn.commits ?? []));
    if (!own) steps.push(step);
  }
  return steps
    .filter(({ files, commits }) => files.size + commits.length > 0)
    .map((step) => ({ ...step, files: [...step.files] }));
}

/** Leaves out steps whose line in the work log the user deleted, and takes the user's words where the line was changed. */
export function logged(steps: readonly Step[], log: WorkLog | undefined): readonly Step[] {
  if (!log) return steps;
  return steps
    .filter(({ turn }) => !log.isDeleted(turn.id, turn.at))
    .map((step) => ({ ...step, ...given({ said: saidIn(log.edited(step.turn.id)) }) }));
}

/** The part after `Done:`, if the line still has its labels; else the whole line. */
function saidIn(line: string | undefined): string | undefined {
  return line && (/\bDone: (.+?)(?= (?:Files|Commit): |$)/.exec(line)?.[1] ?? line);
}

/**
 * One item per commit, with the edits before it; then one per turn that was not committed. Repeated ones are joined.
 * `isListed`: whether another line describes the work of a turn.
 */
export function workItems(
  steps: readonly Step[],
  isListed: (step: Step) => boolean = () => false,
): readonly WorkItem[] {
  const items: WorkItem[] = [];
  let uncommitted: Step[] = [];
  for (const step of steps) {
    const named = step.commits.filter(({ subject }) => !EMPTY_SUBJECT.test(subject.trim()));
    // Of several commits, a memory describes one.
    if (named.length < 2 && isListed(step)) {
      if (named.length > 0) uncommitted = [];
      continue;
    }
    if (named.length === 0 || step.said !== undefined) {
      uncommitted.push(step);
      continue;
    }
    const files = [...new Set([...uncommitted, step].flatMap((one) => one.files))];
    for (const commit of named) items.push({ ...commitItem(commit), turn: step.turn, files });
    uncommitted = [];
  }
  return joined([...items, ...uncommitted.map(turnItem)]);
}

function commitItem({ hash, subject }: Commit): Pick<WorkItem, 'text' | 'isFix' | 'evidence' | 'commits'> {
  const { type = '', subject: rest = subject } = CONVENTIONAL.exec(subject.trim())?.groups ?? {};
  return {
    text: readable(rest),
    isFix: /^fix$/i.test(type) || FIXES.test(subject),
    evidence: 'shown',
    commits: hash === undefined ? [] : [hash],
  };
}

function turnItem({ turn, files, commits, said }: Step): WorkItem {
  const hashes = commits.flatMap(({ hash }) => hash ?? []);
  const words =
    said === undefined ? textOf(turn, files) : ({ text: readable(said), evidence: 'said' } as const);
  return { ...words, isFix: false, turn, files, commits: hashes };
}

/** The agent's report, else what the user ordered, else another sentence of the answer, else the request, else the files. */
function textOf(
  { prompt, answer }: IndexedTurn,
  files: readonly string[],
): Pick<WorkItem, 'text' | 'evidence'> {
  const done = doneIn(answer);
  const request = requestLine(prompt);
  const isClear = wordsOf(request).length >= LEAST_REQUEST_WORDS && !UNCLEAR.test(request);
  if (done && (done.isReport || !isClear || !ORDER.test(request)))
    return { text: readable(done.title), evidence: 'claimed' };
  return { text: isClear ? `Worked on: ${request}` : `Changed ${listed(files)}`, evidence: 'shown' };
}

/** Cannot be understood without the turn before ("Do that now"), or is a pasted error. */
const UNCLEAR = /\b(?:it|this|that|these|those|them)\b|^\w*(?:error|exception)\b|:\d+:\d+|\bat \S+ \(/i;

/** `src/a.ts, src/b.ts and 3 more` */
export function listed(names: readonly string[], most = MOST_NAMED): string {
  const rest = names.length - most;
  return names.slice(0, most).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

function joined(items: readonly WorkItem[]): readonly WorkItem[] {
  const kept: { item: WorkItem; words: Compared }[] = [];
  for (const item of items) {
    const words = compared(item.text);
    const same = kept.find((other) => isAlike(other.words, words));
    if (same) same.item = both(same.item, item);
    else kept.push({ item, words });
  }
  return kept.map(({ item }) => item);
}

function both(a: WorkItem, b: WorkItem): WorkItem {
  return {
    text: a.commits.length > 0 ? a.text : b.text,
    isFix: a.isFix || b.isFix,
    evidence: a.commits.length > 0 ? a.evidence : b.evidence,
    turn: b.turn,
    files: [...new Set([...a.files, ...b.files])],
    commits: [...new Set([...a.commits, ...b.commits])],
  };
}
