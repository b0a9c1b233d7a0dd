/** Exports memories: our own format, Markdown, and the formats of other tools. Reads only. */
import { cpSync, createWriteStream, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { escapedJson, isLive } from '../../../core/index.ts';
import {
  type ExportHead,
  claudeMemImport,
  everMemFiles,
  type EverMemProject,
  EXPORT_FORMAT,
  factsFile,
  memsearchFiles,
  writeRecord,
  type ProjectExport,
} from '../../../exchange/export/index.ts';
import { counted } from '../../screen.ts';
import { flag, notFound, pathOf, usageError, value, type Context, type Verb } from '../../verb.ts';

const FORMATS = ['jsonl', 'markdown', 'claude-mem', 'memsearch', 'evermem', 'facts'] as const;
type Format = (typeof FORMATS)[number];

export const exportMemories: Verb = {
  name: 'export',
  usage: 'export [--format <format>] [--to <path>] [--project <name>] [--turns]',
  summary: "Export memories as jsonl (Tidemark's own format), markdown, or in the format of another tool.",
  options: {
    format: value('format', `One of ${FORMATS.join(', ')} (default: jsonl).`),
    to: value('path', 'File to write, or the folder for markdown, memsearch and evermem (default: stdout).'),
    project: value('name', 'Only this project, by id or name.'),
    turns: flag('Include the original turns (jsonl only).'),
  },
  examples: [
    'tidemark export --turns --to memories.jsonl',
    'tidemark export --format facts --project shop --to ~/code/shop/.claude/memory/facts.json',
    'tidemark export --format memsearch --project shop --to ~/code/shop/.memsearch/memory',
  ],
  async run(context) {
    const { options, screen } = context;
    const format = formatOf(options['format']);
    const to = pathOf(context, 'to');
    if (format !== 'jsonl' && options['turns'])
      throw usageError('only jsonl can contain turns', 'Omit --format or --turns.');
    const head = await context.client.call('read.export', {});
    const chosen = chosenProjects(head, options['project']);
    const counts = await WRITERS[format](context, { ...head, projects: chosen }, to);
    screen.done();
    if (to === undefined) return;
    if (options['json']) return screen.json({ format, to, ...counts });
    screen.print(
      `${counted(counts.memories, 'memory')} of ${counted(chosen.length, 'project')}${counts.turns ? `, ${counted(counts.turns, 'turn')}` : ''} → ${to}`,
    );
    if (format === 'claude-mem')
      screen.print("Send it to claude-mem's worker: POST /api/import, content type application/json.");
    if (format === 'evermem')
      screen.print(
        'Send each line of memories.jsonl to EverMem: POST /api/v0/memories, content type application/json.',
      );
    if (counts.left)
      screen.print(
        `Left out: ${counted(counts.left, 'memory')} of kinds and states that this format does not know.`,
      );
  },
};

interface Counts {
  readonly memories: number;
  readonly turns: number;
  /** Memories that the format has no place for. */
  readonly left?: number;
}

type Write = (context: Context, head: ExportHead, to: string | undefined) => Promise<Counts>;

const WRITERS: Readonly<Record<Format, Write>> = {
  jsonl: writeJsonl,
  markdown: writeMarkdown,
  'claude-mem': async (context, head, to) => {
    const projects = await allProjects(context, head);
    await writeText(to, [`${JSON.stringify(claudeMemImport(projects), null, 1)}\n`]);
    return countsOf(projects);
  },
  facts: async (context, head, to) => {
    const [project, second] = await allProjects(context, head);
    if (!project || second)
      throw usageError(
        'facts.json is about one project',
        'Name it: --project <name>. List them: tidemark projects',
      );
    const { text, facts } = factsFile(project);
    await writeText(to, [text]);
    return { memories: facts, turns: 0, left: project.memories.length - facts };
  },
  evermem: async (context, head, to) => {
    const folder = neededFolder(to, 'evermem');
    const projects = await everMemProjects(context, head);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const { name, text } of everMemFiles(projects))
      await writeText(join(folder, name), text === '' ? [] : [text]);
    const all = projects.flatMap(({ memories }) => memories);
    const memories = all.filter(isLive).length;
    return { memories, turns: 0, left: all.length - memories };
  },
  memsearch: async (context, head, to) => {
    const folder = neededFolder(to, 'memsearch');
    const projects = await allProjects(context, head);
    for (const project of projects) {
      const own = projects.length === 1 ? folder : join(folder, project.id);
      mkdirSync(own, { recursive: true });
      for (const { name, text } of memsearchFiles(project)) writeFileSync(join(own, name), text);
    }
    return countsOf(projects);
  },
};

/** Writes one project at a time, so that only one is in memory. */
async function writeJsonl(context: Context, head: ExportHead, to: string | undefined): Promise<Counts> {
  const { client, options, screen } = context;
  const counts = { memories: 0, turns: 0 };
  async function* lines(): AsyncGenerator<string> {
    yield writeRecord({ record: 'tidemark-export', format: EXPORT_FORMAT });
    for (const project of head.projects) yield writeRecord(project);
    for (const { id } of head.projects) {
      const { sessions, memories } = await client.call('read.export.project', {
        project: id,
      });
      for (const record of [...sessions, ...memories]) yield writeRecord(record);
      counts.memories += memories.length;
      screen.progress(`${counts.memories} memories`);
    }
    if (options['turns']) yield* turnLines(context, head, counts);
    for (const record of head.forgotten) yield writeRecord(record);
  }
  await writeText(to, lines());
  return counts;
}

async function* turnLines(
  { client, screen }: Context,
  { projects }: ExportHead,
  counts: { turns: number },
): AsyncGenerator<string> {
  for (const { id } of projects) {
    const sessions = await client.call('read.export.sessions', { project: id });
    for (const session of sessions) {
      const turns = await client.call('read.export.turns', { session });
      for (const record of turns) yield writeRecord(record);
      counts.turns += turns.length;
      screen.progress(`${counts.turns} turns`);
    }
  }
}

/** Copies the journal, which is Markdown already. */
async function writeMarkdown(context: Context, head: ExportHead, to: string | undefined): Promise<Counts> {
  const folder = neededFolder(to, 'markdown');
  for (const { id } of head.projects) {
    const from = join(context.places.journal, id);
    if (existsSync(from))
      cpSync(realpathSync(from), join(folder, id), { recursive: true, filter: isOfJournal });
  }
  return countsOf(await allProjects(context, head));
}

/** Excludes the `.git` or sync folder that may be inside. */
function isOfJournal(path: string): boolean {
  return !basename(path).startsWith('.');
}

async function everMemProjects(context: Context, head: ExportHead): Promise<readonly EverMemProject[]> {
  const { client } = context;
  const known = new Map((await client.call('read.projects', {})).map((project) => [project.id, project]));
  const all = [];
  for (const { id, name, memories } of await allProjects(context, head)) {
    const path = known.get(id)?.paths[0] ?? '';
    const key = known.get(id)?.keys.find((one) => one.startsWith(EVERMEM));
    const sessions = await client.call('read.sessions', { project: id, limit: MOST_SESSIONS });
    all.push({ group: key?.slice(EVERMEM.length) ?? id, name, path, sessions, memories });
  }
  return all;
}

const EVERMEM = 'evermem:';
const MOST_SESSIONS = 1_000_000;

async function allProjects(
  { client }: Context,
  { projects }: ExportHead,
): Promise<readonly (ProjectExport & { readonly id: string })[]> {
  const all = [];
  for (const { id, name } of projects) {
    const { sessions, memories } = await client.call('read.export.project', { project: id });
    all.push({ id, name, sessions, memories: memories.map(({ memory }) => memory) });
  }
  return all;
}

/** Writes JSON to the file or to stdout, with the same bytes. Waits for slow readers of a pipe. */
async function writeText(
  to: string | undefined,
  texts: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  const escaped = Readable.from(texts).map(escapedJson);
  if (to !== undefined) return pipeline(escaped, createWriteStream(to, { mode: 0o600 }));
  for await (const text of escaped) if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

function chosenProjects(
  { projects }: ExportHead,
  named: string | boolean | undefined,
): ExportHead['projects'] {
  if (named === undefined) return projects;
  const found = projects.filter(({ id, name }) => id === named || name === named);
  if (found.length > 0) return found;
  throw notFound(`there is no project "${String(named)}"`, 'List them: tidemark projects');
}

function formatOf(given: string | boolean | undefined): Format {
  const found = FORMATS.find((format) => format === (given ?? 'jsonl'));
  if (found) return found;
  throw usageError(`there is no format "${String(given)}"`, `One of: ${FORMATS.join(', ')}`);
}

function neededFolder(to: string | undefined, format: Format): string {
  if (to === undefined) throw usageError(`${format} writes a folder of files`, 'Name it: --to <folder>');
  return to;
}

function countsOf(projects: readonly ProjectExport[]): Counts {
  return { memories: projects.reduce((sum, { memories }) => sum + memories.length, 0), turns: 0 };
}
