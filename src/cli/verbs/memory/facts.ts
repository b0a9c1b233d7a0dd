/** Verbs of Memory Keeper: add, clear and extract decisions, patterns and issues. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { TidemarkError, type MemoryDraft, type MemoryKind } from '../../../core/index.ts';
import { JOURNAL_BYTES, readTextSync } from '../../../files/index.ts';
import { factsIn } from '../../../exchange/import/index.ts';
import { confirm } from '../../ask.ts';
import { counted } from '../../screen.ts';
import { EXIT, flag, usageError, type Context, type Verb } from '../../verb.ts';
import { kindOf, printReceipt } from './_memory.ts';

export const addDecision: Verb = {
  name: 'add-decision',
  usage: 'add-decision <content> [<reason…>]',
  summary: 'Add a decision with its reason.',
  examples: ['tidemark add-decision "Use structured Markdown" "Easier to parse"'],
  run: (context) => {
    const [content = '', ...reason] = context.args;
    return add(context, 'decision', content, reason.length > 0 ? { reason: reason.join(' ') } : {});
  },
};

export const addPattern: Verb = {
  name: 'add-pattern',
  usage: 'add-pattern <content…>',
  summary: 'Add a pattern: how things are done here.',
  run: (context) => add(context, 'pattern', context.args.join(' '), {}),
};

export const addIssue: Verb = {
  name: 'add-issue',
  usage: 'add-issue <content…> [open|resolved]',
  summary: 'Add an issue (open by default).',
  run: (context) => {
    const last = context.args.at(-1);
    const state = context.args.length > 1 && (last === 'open' || last === 'resolved') ? last : undefined;
    const words = state ? context.args.slice(0, -1) : context.args;
    return add(context, 'issue', words.join(' '), { state: state ?? 'open' });
  },
};

async function add(
  context: Context,
  kind: MemoryKind,
  title: string,
  more: Partial<MemoryDraft>,
): Promise<void> {
  const { client, cwd } = context;
  if (title.trim() === '') throw usageError(`no text for the ${kind}`, `tidemark add-${kind} "<text>"`);
  const draft = { kind, title, body: '', facts: [], concepts: [], files: [], ...more };
  await printReceipt(context, await client.call('remember', { draft, dir: cwd }));
}

/** The kinds that Memory Keeper's command of the same name clears. */
const FACTS: readonly MemoryKind[] = ['decision', 'pattern', 'issue'];
const ALL = 1_000_000;

export const clearFacts: Verb = {
  name: 'clear-facts',
  usage: 'clear-facts [<kind>…] [--yes] [--now]',
  summary: 'Forget all decisions, patterns and issues of this project, or only the kinds you name.',
  options: {
    yes: flag('Do not ask.'),
    now: flag('Erase now; this cannot be undone.'),
  },
  async run(context) {
    const { args, options, client, cwd, screen } = context;
    const kinds = args.length > 0 ? args.map((word) => kindOf(word.replace(/s$/, ''))) : FACTS;
    const all = await client.call('read.memories', { dir: cwd, limit: ALL });
    const ids = all.filter(({ kind }) => kinds.includes(kind)).map(({ id }) => id);
    if (
      ids.length > 0 &&
      !(await confirm(context, `Forget ${counted(ids.length, 'memory')} (${kinds.join(', ')})?`))
    ) {
      screen.say('Nothing was forgotten.');
      return EXIT.failed;
    }
    const gone = ids.length > 0 ? await client.call('forget', { ids, now: Boolean(options['now']) }) : [];
    if (options['json']) screen.json({ forgotten: gone });
    else screen.print(`Forgot ${counted(gone.length, 'memory')} (${kinds.join(', ')}).`);
    if (gone.length > 0 && !options['now'])
      screen.say(`Their text is erased in 24 hours. Until then: tidemark forget --undo ${gone.join(' ')}`);
    return EXIT.ok;
  },
};

export const extractFacts: Verb = {
  name: 'extract-facts',
  usage: 'extract-facts <file.md>',
  summary: 'Add the decisions, patterns and issues of a Markdown file.',
  async run({ args, options, client, cwd, screen }) {
    const [file] = args;
    if (!file) throw usageError('no file given', 'tidemark extract-facts <file.md>');
    const path = resolve(cwd, file);
    const { drafts, counts, at } = factsIn(readText(path));
    const { added, known } = await client.call('extract', {
      drafts,
      dir: cwd,
      at: at ?? statSync(path).mtime.toISOString(),
    });
    if (options['json']) return screen.json({ found: counts, added: added.map(({ id }) => id), known });
    screen.print(
      `Found ${counted(counts.decision, 'decision')}, ${counted(counts.pattern, 'pattern')} and ${counted(counts.issue, 'issue')}: ${added.length} new, ${known} known already.`,
    );
  },
};

function readText(path: string): string {
  try {
    return readTextSync(path, JOURNAL_BYTES);
  } catch (cause) {
    throw new TidemarkError('not-found', `cannot read ${path}`, {
      cause,
      hint: 'Name a Markdown file that you can read.',
    });
  }
}
