/**
 * Turns the sheet of made.ts into a text for labellers, or the sheet and their labels into examples of *read*. The labels
 * are described in data/GUIDE-made-relevance.md.
 *
 *   node train/made-relevance.ts --sheet FILE --read
 *   node train/made-relevance.ts --sheet FILE --labels FILE --out train/data/made/relevance
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** A line of the sheet: a prompt, and the memories before its session. */
interface Asked {
  readonly key: string;
  readonly prompt: string;
  readonly memories: readonly Memory[];
}

interface Memory {
  readonly kind: string;
  readonly title: string;
  readonly body?: string;
  readonly reason?: string;
  readonly files?: readonly string[];
}

interface Prompt {
  readonly turn: string;
  readonly text: string;
  readonly wants: string[];
  readonly maybe: string[];
  readonly among: readonly string[];
}

interface Project {
  readonly memories: Map<string, Memory & { readonly id: string }>;
  readonly prompts: Prompt[];
}

const { values: options } = parseArgs({
  options: {
    sheet: { type: 'string', default: 'sheet.jsonl' },
    read: { type: 'boolean', default: false },
    labels: { type: 'string' },
    out: { type: 'string', default: 'train/data/made/relevance' },
  },
});

/** A labeller need not read more of a prompt, or of a memory's body. */
const SHOWN = { prompt: 900, body: 350 };

const projects = new Map<string, Project>();
for (const line of readFileSync(options.sheet, 'utf8').trim().split('\n')) add(JSON.parse(line) as Asked);
if (options.read) for (const [name, project] of projects) console.log(textOf(name, project));
else if (options.labels !== undefined) write(readFileSync(options.labels, 'utf8'));
else throw new Error('give --read, or --labels FILE');

function add({ key, prompt, memories }: Asked): void {
  const [name = '', turn = ''] = key.split(' ');
  const project: Project = projects.get(name) ?? { memories: new Map(), prompts: [] };
  projects.set(name, project);
  const among = memories.map((memory) => {
    const text = JSON.stringify(memory, filled);
    const id = project.memories.get(text)?.id ?? `m${project.memories.size + 1}`;
    project.memories.set(text, { id, ...(JSON.parse(text) as Memory) });
    return id;
  });
  project.prompts.push({ turn, text: prompt, wants: [], maybe: [], among });
}

/** Leaves out what is empty. */
function filled(_: string, value: string | readonly string[]): unknown {
  return value.length === 0 ? undefined : value;
}

function textOf(name: string, { memories, prompts }: Project): string {
  const notes = [...memories.values()].map(({ id, kind, title, body = '', reason, files = [] }) =>
    [`${id} [${kind}] ${title}`, cut(body, SHOWN.body), reason && `why: ${reason}`, files.join(' ')]
      .filter(Boolean)
      .join(' | '),
  );
  const asked = prompts.map(
    ({ turn, text, among }) => `${turn} (${among.join(' ')}): ${cut(text, SHOWN.prompt)}`,
  );
  return [`=== ${name}`, 'MEMORIES', ...notes, 'PROMPTS', ...asked, ''].join('\n');
}

function cut(text: string, most: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= most ? line : `${line.slice(0, (most * 2) / 3)} … ${line.slice(-most / 3)}`;
}

/** Writes the projects that were labelled; a label that names an unknown project, turn or memory stops it. */
function write(labels: string): void {
  mkdirSync(options.out, { recursive: true });
  for (const part of labels.split(/^=== /m).slice(1)) {
    const [name = '', ...lines] = part.trim().split('\n');
    const project = projects.get(name.trim());
    if (!project) throw new Error(`no project ${name}`);
    for (const line of lines.filter((one) => one.trim() !== '')) label(project, line, name);
    const memories = [...project.memories.values()];
    const prompts = project.prompts.map(({ maybe, ...rest }) =>
      maybe.length > 0 ? { ...rest, maybe } : rest,
    );
    writeFileSync(
      join(options.out, `${name.trim()}.json`),
      `${JSON.stringify({ memories, prompts }, null, 1)}\n`,
    );
  }
}

function label({ prompts }: Project, line: string, name: string): void {
  const [turn, ...words] = line.trim().split(/[\s,:]+/);
  const prompt = prompts.find((one) => one.turn === turn);
  if (!prompt) throw new Error(`${name} has no prompt ${turn}`);
  let list = prompt.wants;
  for (const word of words)
    if (word === 'wants') list = prompt.wants;
    else if (word === 'maybe') list = prompt.maybe;
    else if (prompt.among.includes(word)) list.push(word);
    else throw new Error(`${name} ${turn} was not shown ${word}`);
}
