/**
 * Writes one line per turn of the user into the day's journal file: asked, done, files, commit. For people and for search;
 * the lines are no memories and are never injected.
 */
import { commitsIn, editedFiles, given, plainLine, type StoredTurn } from '../core/index.ts';
import type { WorkLine } from '../storage/journal/index.ts';
import type { Stores } from './stores.ts';

const MAX_ASKED = 120;
const MAX_DONE = 160;
const MAX_FILES = 5;
const MAX_COMMITS = 2;

export interface LogOptions {
  readonly root?: string;
  /** The turns have lines already: a line that is missing was deleted by the user. */
  readonly again?: boolean;
}

export async function logTurns(
  stores: Pick<Stores, 'journal' | 'index'>,
  turns: readonly StoredTurn[],
  { root, again = false }: LogOptions = {},
): Promise<void> {
  const logged = turns.filter(({ origin }) => origin === 'person');
  for (const [project, some] of Map.groupBy(logged, (turn) => turn.project)) {
    const lines = some.flatMap((turn) => workLine(turn, root) ?? []);
    for (const file of await stores.journal.log(project, lines, again)) stores.index.setJournalFile(file);
  }
}

/** `Asked: Move the queue. Done: It uses pg-boss now. Files: src/queue.ts. Commit: 3f2a1bc Move the queue.` */
export function workLine(turn: StoredTurn, root?: string): WorkLine | undefined {
  const asked = sentence(clip(firstLine(turn.prompt), MAX_ASKED));
  const files = editedFiles(turn, root);
  const commits = commitsIn(turn).map(({ hash, subject }) => [hash, subject].filter(Boolean).join(' '));
  const parts = given({
    Asked: asked || undefined,
    Done: doneIn(turn) || undefined,
    Files: listed(files, MAX_FILES),
    Commit: listed(commits, MAX_COMMITS),
  });
  if (Object.keys(parts).length === 0) return undefined;
  const text = Object.entries(parts)
    .map(([label, value]) => `${label}: ${value}`)
    .join(' ');
  return { turn: turn.id, at: turn.startedAt, text: plainLine(text) };
}

function doneIn({ outcome, answer }: StoredTurn): string {
  switch (outcome) {
    case 'open':
      return 'in progress.';
    case 'interrupted':
      return 'interrupted.';
    case 'denied':
      return 'stopped, a permission was denied.';
    case 'failed':
      return 'failed.';
    case 'answered':
      return sentence(clip(result(answer), MAX_DONE));
  }
}

/** The first sentence that is no announcement: an agent comments on its steps before it reports. */
function result(answer: string): string {
  const sentences = answer
    .replace(/```[\s\S]*?(?:```|$)/g, ' ')
    .split(/\n+|(?<=[.!?])\s+|(?<=[。！？])/)
    .map(plain)
    .filter((text) => /\p{L}{2}/u.test(text));
  return (
    sentences.find((text) => !ANNOUNCES.test(text) && text.length >= MIN_RESULT) ?? sentences.at(-1) ?? ''
  );
}

/** "Done.", "All set!" say nothing. */
const MIN_RESULT = 12;
const ANNOUNCES =
  /^(?:let me|let's|i'll|i will|i'm going to|i need to|now|first|next|then|looking|checking|reading|running|sure|okay|ok|good|great|perfect|i see)\b/i;

function firstLine(text: string): string {
  return plain(text.split('\n').find((line) => plain(line) !== '') ?? '');
}

/** Without Markdown's marks at the start and around words. */
function plain(text: string): string {
  return text
    .replace(/^\s*(?:#{1,6}\s+|[-*+>]\s+|\d+[.)]\s+)/, '')
    .replace(/\*\*|__/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function sentence(text: string): string {
  return text === '' || /[.!?…。！？]$/.test(text) ? text : `${text}.`;
}

function listed(items: readonly string[], most: number): string | undefined {
  if (items.length === 0) return undefined;
  const rest = items.length > most ? ` and ${items.length - most} more` : '';
  return sentence(items.slice(0, most).join(', ') + rest);
}

function clip(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const space = text.lastIndexOf(' ', limit - 1);
  return `${text.slice(0, space > limit / 2 ? space : limit - 1).replace(/[\s,;:.]+$/, '')}…`;
}
