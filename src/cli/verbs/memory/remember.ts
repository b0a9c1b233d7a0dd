/** Adds a memory by hand. */
import { LONGEST_TITLE, MEMORY_KINDS, shortened } from '../../../core/index.ts';
import { isStdin, textFromStdin, withStdin } from '../../stdin.ts';
import { flag, list, optionText, usageError, value, type Context, type Verb } from '../../verb.ts';
import { kindOf, printReceipt } from './_memory.ts';

export const remember: Verb = {
  name: 'remember',
  usage:
    'remember <text… | -> [--kind <kind>] [--reason <text>] [--body <text>] [--file <path>]… [--everywhere]',
  summary: 'Add a memory yourself.',
  options: {
    kind: value('kind', `One of ${MEMORY_KINDS.join(', ')} (default: discovery).`),
    reason: { ...value('text', 'The reason.'), alias: 'why' },
    body: value('text', 'Details that the title does not say; "-" reads them from stdin.'),
    fact: list('text', 'A single fact; may be repeated.'),
    file: list('path', 'A file it is about.'),
    concept: list('phrase', 'A search phrase for this memory; may be repeated.'),
    everywhere: {
      ...flag('About you, not about this project: for every project and every agent.'),
      alias: 'personal',
    },
  },
  examples: [
    'tidemark remember "Answer in German, code comments in English" --kind preference --everywhere',
    'tidemark remember "Refresh tokens rotate on every use" --kind decision --reason "stolen ones die early"',
    'git log -1 --format=%B | tidemark remember - --kind decision',
    'tidemark remember "The pool holds 20 connections" --concept "requests hang under load" --concept "too many clients"',
  ],
  async run(asked) {
    const context = await withStdin(asked, ['body', 'reason']);
    const { options, lists, client, cwd } = context;
    const { title, body } = await textOf(context);
    if (!title) throw usageError('no text given', 'tidemark remember "<text>" --kind decision');
    const draft = {
      kind: kindOf(String(options['kind'] ?? 'discovery')),
      title,
      body,
      facts: lists['fact'] ?? [],
      concepts: lists['concept'] ?? [],
      files: lists['file'] ?? [],
      ...(options['reason'] ? { reason: String(options['reason']) } : {}),
    };
    const memory = await client.call('remember', {
      draft,
      ...(options['everywhere'] ? {} : { dir: cwd }),
    });
    await printReceipt(context, memory);
  },
};

/** The text of the command line, or of stdin for `-`. There the first line is the title, without a Markdown heading's marks. */
async function textOf(context: Context): Promise<{ readonly title: string; readonly body: string }> {
  const { args, options } = context;
  const option = optionText(options, 'body') ?? '';
  const [only = ''] = args;
  if (args.length !== 1 || !isStdin(only)) return { title: args.join(' ').trim(), body: option };
  const [first = '', ...more] = (await textFromStdin(context)).split(/\r?\n/);
  const line = first.replace(/^#{1,6}\s+/, '').trim();
  const title = shortened(line, LONGEST_TITLE);
  // A title that had to be cut stays whole in the body.
  const parts = [title === line ? '' : line, more.join('\n').trim(), option];
  return { title, body: parts.filter((part) => part !== '').join('\n\n') };
}
