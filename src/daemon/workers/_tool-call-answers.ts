/** Answers questions at a tool call in the reader thread: about files by their paths, and about a shell command. */
import {
  folderOf,
  isFile,
  namesInProject,
  type Answer,
  type PendingAction,
  type Question,
  type ResolvedProject,
} from '../../capture/index.ts';
import { readTextSync } from '../../files/index.ts';
import type { CommandQuestion, FileAnswer, FileQuestion } from '../api/table.ts';

/** A larger file is no code that an agent writes at once. */
const MAX_REPLACED_BYTES = 2 * 1024 * 1024;

interface Answering {
  resolve(dir: string): ResolvedProject;
  answer(question: Question, place: ResolvedProject): Answer;
}

/** A file of another work tree or project is looked up there. */
export function answerFile(
  reader: Answering,
  { paths, answered, change, call, ...question }: FileQuestion,
): FileAnswer {
  // A command that prints files may have arguments that are none.
  const existing = question.name === 'PostToolUse' ? paths.filter(isFile) : paths;
  const own = reader.resolve(question.projectDir);
  const [first] = existing;
  const isOwn = existing.some((path) => namesInProject(path, own.root).length > 0);
  const place = isOwn || first === undefined ? own : reader.resolve(folderOf(first));
  const found = existing
    .map((path) => namesInProject(path, place.root))
    .map((names) => ({ names, file: `${place.project.id}:${names.at(-1)}` }))
    .filter(({ names, file }) => names.length > 0 && !answered.includes(file));
  const files = found.flatMap(({ names }) => names);
  const stop = call ? { call: { ...call, action: editOf(paths[0] ?? '', place.root, change) } } : {};
  return { ...reader.answer({ ...question, files, ...stop }, place), files: found.map(({ file }) => file) };
}

export function answerCommand(
  reader: Answering,
  { command, cwd, call, ...question }: CommandQuestion,
): Answer {
  const place = reader.resolve(question.projectDir);
  const action = { kind: 'command', command, cwd, root: place.root } as const;
  return reader.answer({ ...question, call: { ...call, action } }, place);
}

/** An edit that may be stopped. Without the replaced text only its path counts. */
function editOf(path: string, root: string, change: FileQuestion['change']): PendingAction['action'] {
  const edit = { kind: 'edit', files: namesInProject(path, root) } as const;
  if (!change || change.removed !== undefined) return { ...edit, ...change };
  try {
    return { ...edit, ...change, removed: readTextSync(path, MAX_REPLACED_BYTES) };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? { ...edit, ...change, removed: '' } : edit;
  }
}
