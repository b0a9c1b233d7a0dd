/** The events that every hook is measured with: inputs of one recorded session, with the paths of this machine. */
import { createHash, randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

type Fields = Readonly<Record<string, unknown>>;

/** The transcript of the session that the first sample of each event comes from. */
const SESSION = '50bd7b41-faae-4672-99cb-17d60defbf29';
const fixtures = resolve(import.meta.dirname, '..', 'test', 'fixtures');
const samples = readFileSync(join(fixtures, 'hooks', 'hook-inputs.samples.jsonl'), 'utf8');
const transcript = join(fixtures, 'transcripts', 'print-tools-resume-compact.jsonl');

const inputs = samples
  .trim()
  .split('\n')
  .map((line) => (JSON.parse(line) as { input: Fields }).input);

/** Creates a project and the session's transcript in the folder. Returns the input fields that name them. */
export function placed(folder: string): { readonly cwd: string; readonly transcript_path: string } {
  const cwd = join(folder, 'project');
  const projects = join(folder, 'config', 'projects', '-project');
  for (const path of [cwd, projects]) mkdirSync(path, { recursive: true });
  const transcript_path = join(projects, `${SESSION}.jsonl`);
  cpSync(transcript, transcript_path);
  return { cwd, transcript_path };
}

/**
 * Returns the recorded input of an event (for a tool event, of that tool) with the given fields replaced.
 * Each tool call gets a new id, because a tool that knows the id would have less work.
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

/** Returns a hash of inputs and transcript, twelve hexadecimal digits. */
export function dataHash(): string {
  return createHash('sha256').update(samples).update(readFileSync(transcript)).digest('hex').slice(0, 12);
}
