/** Changes what a memory says, by options or in your editor. From then on the words are yours. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TidemarkError, type Memory } from '../../../core/index.ts';
import type { MemoryEntry } from '../../../database/index.ts';
import { parseDay, type MemoryPatch } from '../../../storage/journal/index.ts';
import { editorOf, openEditor } from '../../editor.ts';
import { JSON_OPTION, type Context, type Verb } from '../../verb.ts';
import { idsFrom, kindOf, memoryLine } from './_memory.ts';

export const edit: Verb = {
  name: 'edit',
  usage: 'edit <id> [--title <text>] [--body <text>] [--reason <text>] [--kind <kind>] [--file <path>]…',
  summary: 'Change what a memory says; without options in $EDITOR.',
  options: {
    title: { type: 'string', doc: 'The thing itself in one line.' },
    body: { type: 'string', doc: 'The text below it.' },
    reason: { type: 'string', doc: 'Why; an empty one takes it away.' },
    kind: { type: 'string', value: 'kind', doc: 'What kind of memory it is.' },
    fact: { type: 'string', multiple: true, doc: 'A single fact; all facts are replaced.' },
    file: {
      type: 'string',
      value: 'path',
      multiple: true,
      doc: 'A file it is about; all files are replaced.',
    },
    concept: {
      type: 'string',
      value: 'phrase',
      multiple: true,
      doc: 'A phrase by which it is come upon; all are replaced.',
    },
    ...JSON_OPTION,
  },
  examples: ['tidemark edit 1ja0p3h7k2m9qx --reason "stolen tokens die early"'],
  async run(context) {
    const { args, client, options, screen } = context;
    const [id = ''] = idsFrom(args, 'edit <id>');
    const given = patchFrom(context);
    const patch = Object.keys(given).length > 0 ? given : await patchInEditor(context, id);
    if (!patch) return screen.say('Nothing changed.');
    const memory = await client.call<Memory>('edit', { id, patch });
    if (options['json']) return screen.json(memory);
    screen.print(memoryLine(memory, screen));
  },
};

function patchFrom({ options, lists }: Context): MemoryPatch {
  const text = (name: string): string | undefined =>
    typeof options[name] === 'string' ? options[name] : undefined;
  const kind = text('kind');
  const fields = {
    title: text('title'),
    body: text('body'),
    reason: text('reason'),
    facts: lists['fact'],
    files: lists['file'],
    concepts: lists['concept'],
  };
  const set = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return { ...set, ...(kind ? { kind: kindOf(kind) } : {}) };
}

/** The entry as the journal shows it, without its comment; undefined when it was left as it is. */
async function patchInEditor({ client, env }: Context, id: string): Promise<MemoryPatch | undefined> {
  const editor = editorOf(env, 'Name what to change with --title, --body, --reason …, or set EDITOR.');
  const [shown] = await client.call<readonly MemoryEntry[]>('read.show', { ids: [id] });
  if (!shown) throw new TidemarkError('not-found', `no memory ${id}`);
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
    throw new TidemarkError('usage', 'the heading is gone; nothing was changed', {
      hint: 'It is one entry of the journal: "### decision · Title", then its text.',
    });
  const { kind, title, body, reason = '', facts, files, concepts } = entry.memory;
  return { kind, title, body, reason, facts, files, concepts };
}
