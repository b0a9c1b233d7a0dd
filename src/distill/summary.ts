/** The eight-field summary and the title of a session, made from its turns without a model. Pure. */
import {
  editedFiles,
  type MemoryDraft,
  type MemoryKind,
  readFiles,
  shortened,
  type SessionSummary,
  type StoredTurn,
  withoutNotes,
} from '../core/index.ts';
import { failingAtEnd } from './rules/commands.ts';
import { draftsOf, reportOf } from './rules/local.ts';
import { spoken } from './rules/sentences.ts';
import { titleOf, wordsOf } from './rules/title.ts';

const MAX_REQUEST = 200;
const MAX_ITEMS = 6;
const MAX_FILES_LISTED = 20;
const MAX_TITLE = 70;

export function summarizeTurns(turns: readonly StoredTurn[], root?: string): SessionSummary {
  const drafts = draftsOfAll(turns, root);
  const read = unique(turns.flatMap((turn) => readFiles(turn, root)));
  const edited = unique(turns.flatMap((turn) => editedFiles(turn, root)));
  return {
    request: shortened(requestOf(turns), MAX_REQUEST),
    investigated: investigated(turns, read),
    learned: list(titles(drafts, ['discovery', 'decision', 'dead_end'])),
    completed: list(reports(turns, root)),
    next_steps: list(titles(drafts, ['issue'])),
    files_read: files(read),
    files_edited: files(edited),
    notes: list([...titles(drafts, ['preference', 'pattern']), ...warnings(turns)]),
  };
}

/** The session's title: its work, else a decision, else the request, else its first prompt. */
export function sessionTitle(turns: readonly StoredTurn[], root?: string): string {
  const [best] = [...reports(turns, root), ...titles(draftsOfAll(turns, root), ['decision'])];
  const request = requestOf(turns);
  return shortened(best ?? titleOf(request) ?? (request || firstPromptOf(turns)), MAX_TITLE);
}

function draftsOfAll(turns: readonly StoredTurn[], root: string | undefined): readonly MemoryDraft[] {
  return turns.flatMap((turn, i) => draftsOf(turn, root, turns[i - 1]));
}

/** The agent's own sentences about its work, whether or not the turn proves it. */
function reports(turns: readonly StoredTurn[], root: string | undefined): readonly string[] {
  return unique(
    turns.flatMap((turn) => reportOf({ ...turn, answer: withoutNotes(turn.answer) }, root) ?? []),
  );
}

/** The first substantial prompt of the user, else the first prompt. */
function requestOf(turns: readonly StoredTurn[]): string {
  const prompts = turns
    .filter((turn) => turn.origin === 'person')
    .map((turn) => spoken(turn.prompt).replace(/[#*]+/g, ' ').replace(/\s+/g, ' ').trim());
  return prompts.find(isSubstantial) ?? prompts.find((prompt) => prompt !== '') ?? '';
}

/** A session of a scheduled task or of a subagent has no prompt of the user. */
function firstPromptOf(turns: readonly StoredTurn[]): string {
  const first = turns.map(({ prompt }) => prompt.replace(/\s+/g, ' ').trim()).find((prompt) => prompt !== '');
  return first ?? 'Session without a prompt';
}

function isSubstantial(prompt: string): boolean {
  return (
    !/^[/!]\S+$/.test(prompt) &&
    (wordsOf(prompt).length >= 4 || /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{6}/.test(prompt))
  );
}

function investigated(turns: readonly StoredTurn[], read: readonly string[]): string {
  const tools = turns.flatMap((turn) => turn.tools);
  const targets = (names: readonly string[]) =>
    unique(
      tools
        .filter((tool) => names.includes(tool.name) && tool.target !== undefined)
        .map((tool) => tool.target ?? ''),
    );
  const searched = [...targets(['Grep', 'Glob']), ...targets(['WebSearch'])].slice(0, MAX_ITEMS);
  const fetched = targets(['WebFetch']).slice(0, MAX_ITEMS);
  return list([
    ...(read.length > 0 ? [`read ${read.length} ${read.length === 1 ? 'file' : 'files'}`] : []),
    ...(searched.length > 0 ? [`searched for ${searched.map((target) => clip(target, 60)).join(', ')}`] : []),
    ...(fetched.length > 0 ? [`fetched ${fetched.map((target) => clip(target, 80)).join(', ')}`] : []),
  ]);
}

function warnings(turns: readonly StoredTurn[]): readonly string[] {
  const last = turns.findLast((turn) => turn.origin === 'person');
  const failing = turns.findLast((turn) => turn.tools.length > 0);
  return [
    ...(last?.outcome === 'interrupted' ? ['the last turn was interrupted'] : []),
    ...(last?.outcome === 'denied' ? ['a permission was denied in the last turn'] : []),
    ...(last?.outcome === 'failed' ? ['the last turn failed'] : []),
    ...(failing ? failingAtEnd(failing).map((command) => `\`${command}\` was failing at the end`) : []),
  ];
}

function titles(drafts: readonly MemoryDraft[], kinds: readonly MemoryKind[]): readonly string[] {
  return unique(drafts.filter((draft) => kinds.includes(draft.kind)).map((draft) => draft.title));
}

function list(items: readonly string[]): string {
  return items.slice(0, MAX_ITEMS).join('; ');
}

function files(paths: readonly string[]): string {
  const listed = paths.slice(0, MAX_FILES_LISTED).join(', ');
  return paths.length > MAX_FILES_LISTED ? `${listed} and ${paths.length - MAX_FILES_LISTED} more` : listed;
}

function unique(items: readonly string[]): readonly string[] {
  return [...new Set(items)];
}

function clip(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const space = text.lastIndexOf(' ', limit - 1);
  return `${text.slice(0, space > limit / 2 ? space : limit - 1)}…`;
}
