/** Changes the text of a memory, by options or in the user's editor. The memory then counts as written by the user. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { given, PERSONAL_PROJECT, type Memory } from '../../../core/index.ts';
import { appearsLine, receiptOf } from '../../../recall/index.ts';
import { parseDay, type MemoryPatch } from '../../../storage/journal/index.ts';
import { editorOf, openEditor } from '../../editor.ts';
import { withStdin } from '../../stdin.ts';
import { flag, list, notFound, optionText, usageError, value, type Context, type Verb } from '../../verb.ts';
import { idsFrom, kindOf, printMemories } from './_memory.ts';

export const edit: Verb = {
  name: 'edit',
  usage:
    'edit <id> [--title <text>] [--body <text>] [--reason <text>] [--kind <kind>] [--file <path>]… [--everywhere | --here]',
  summary: 'Change a memory, in your editor or with options.',
  options: {
    title: value('text', 'The title, in one line.'),
    body: value('text', 'The text below it; "-" reads it from stdin.'),
    reason: { ...value('text', 'The reason; an empty text removes it.'), alias: 'why' },
    kind: value('kind', 'The kind of memory.'),
    fact: list('text', 'A single fact; replaces all facts.'),
    file: list('path', 'A file it is about; replaces all files.'),
    concept: list('phrase', 'A search phrase for this memory; replaces all phrases.'),
    everywhere: flag('It applies in every project, with every agent.'),
    here: flag('It applies only in the project of this folder.'),
  },
  examples: [
    'tidemark edit 7k2m9qx --reason "stolen tokens die early"',
    'tidemark edit 7k2m9qx --everywhere',
  ],
  async run(asked) {
    const context = await withStdin(asked, ['title', 'body', 'reason']);
    const { args, client, screen } = context;
    const [id = ''] = idsFrom(args, 'edit <id>');
    const project = await projectFrom(context);
    const given = patchFrom(context);
    const isGiven = Object.keys(given).length > 0;
    const patch = isGiven || project !== undefined ? given : await patchInEditor(context, id);
    if (!patch) return screen.say('Nothing changed.');
    const moved = project === undefined ? undefined : await client.call('move', { id, project });
    const memory = moved && !isGiven ? moved : await client.call('edit', { id, patch });
    printMemories(context, memory);
    if (moved && !context.options['json']) screen.say(appearsLine(receiptOf(memory)));
  },
};

/** Returns the project to move the memory to, if an option names one. */
async function projectFrom({ options, client, cwd }: Context): Promise<string | undefined> {
  if (options['everywhere'] && options['here'])
    throw usageError('use only one of --everywhere and --here', 'See: tidemark edit --help');
  if (options['everywhere']) return PERSONAL_PROJECT;
  return options['here'] ? (await client.call('read.place', { dir: cwd })).project : undefined;
}

function patchFrom({ options, lists }: Context): MemoryPatch {
  const kind = optionText(options, 'kind');
  return given({
    kind: kind ? kindOf(kind) : undefined,
    title: optionText(options, 'title'),
    body: optionText(options, 'body'),
    reason: optionText(options, 'reason'),
    facts: lists['fact'],
    files: lists['file'],
    concepts: lists['concept'],
  });
}

/** Opens the entry as the journal shows it, without its comment. Returns undefined if the user changed nothing. */
async function patchInEditor({ client, env }: Context, id: string): Promise<MemoryPatch | undefined> {
  const editor = editorOf(env, 'Set EDITOR, or use options: --title, --body, --reason …');
  const [shown] = await client.call('read.show', { ids: [id] });
  if (!shown) throw notFound(`there is no memory ${id}`);
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-'));
  const file = join(folder, 'memory.md');
  try {
    const before = textOf(shown.memory);
    writeFileSync(file, before, { mode: 0o600 });
    openEditor(editor, file);
    const after = readFileSync(file, 'utf8');
    return after === before ? undefined : patchOf(after);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function textOf({ kind, title, body, reason, facts, files, concepts }: Memory): string {
  const parts = [
    `### ${kind} · ${title}`,
    body,
    reason ? `Reason: ${reason}` : '',
    facts.map((fact) => `- ${fact}`).join('\n'),
    files.length > 0 ? `Files: ${files.map((path) => `\`${path}\``).join(', ')}` : '',
    concepts.length > 0 ? `Concepts: ${concepts.join(', ')}` : '',
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

function patchOf(text: string): MemoryPatch {
  const [entry] = parseDay(text, { project: '-', date: '1970-01-01', file: 'memory.md' }).entries;
  if (!entry)
    throw usageError(
      'the heading is missing; nothing was changed',
      'Write one journal entry: "### decision · Title", then its text.',
    );
  const { kind, title, body, reason = '', facts, files, concepts } = entry.memory;
  return { kind, title, body, reason, facts, files, concepts };
}
