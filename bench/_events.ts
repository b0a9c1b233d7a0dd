/** The events every hook is measured with: real inputs of one recorded session, moved to where this machine has it. */
import { createHash, randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

type Fields = Readonly<Record<string, unknown>>;

/** The first sample of each event belongs to the session this transcript is of. */
const SESSION = '50bd7b41-faae-4672-99cb-17d60defbf29';
const fixtures = resolve(import.meta.dirname, '..', 'test', 'fixtures');
const samples = readFileSync(join(fixtures, 'hooks', 'hook-inputs.samples.jsonl'), 'utf8');
const transcript = join(fixtures, 'transcripts', 'print-tools-resume-compact.jsonl');

const inputs = samples
  .trim()
  .split('\n')
  .map((line) => (JSON.parse(line) as { input: Fields }).input);

/** Makes a project and the session's transcript in the folder; returns the fields of an input that name them. */
export function placed(folder: string): { readonly cwd: string; readonly transcript_path: string } {
  const cwd = join(folder, 'project');
  const projects = join(folder, 'config', 'projects', '-project');
  for (const path of [cwd, projects]) mkdirSync(path, { recursive: true });
  const transcript_path = join(projects, `${SESSION}.jsonl`);
  cpSync(transcript, transcript_path);
  return { cwd, transcript_path };
}

/**
 * The event as the client gave it (for a tool event, of that tool), with these fields instead of the recorded ones.
 * A tool call gets an id of its own each time: a tool that has seen the id would have less to do.
 */
export function inputOf(event: string, own: Fields): () => string {
  const tool = own['tool_name'];
  const found = inputs.find(
    (input) => input['hook_event_name'] === event && (tool === undefined || input['tool_name'] === tool),
  );
  if (!found) throw new Error(`no recorded ${event}${tool === undefined ? '' : ` of ${String(tool)}`}`);
  const isToolCall = 'tool_use_id' in found;
  return () =>
    JSON.stringify({ ...found, ...own, ...(isToolCall ? { tool_use_id: `toolu_${randomUUID()}` } : {}) });
}

/** Twelve hexadecimal digits that change when the inputs or the transcript do. */
export function dataHash(): string {
  return createHash('sha256').update(samples).update(readFileSync(transcript)).digest('hex').slice(0, 12);
}
