/** Adds a memory by hand. */
import { MEMORY_KINDS } from '../../../core/index.ts';
import { flag, list, usageError, value, type Verb } from '../../verb.ts';
import { kindOf, printMemories } from './_memory.ts';

export const remember: Verb = {
  name: 'remember',
  usage: 'remember <text…> [--kind <kind>] [--reason <text>] [--body <text>] [--file <path>]… [--personal]',
  summary: 'Add a memory yourself.',
  options: {
    kind: value('kind', `One of ${MEMORY_KINDS.join(', ')} (discovery).`),
    reason: value('text', 'Why, for a decision.'),
    body: value('text', 'More than the title says.'),
    fact: list('text', 'A single fact; may be repeated.'),
    file: list('path', 'A file it is about.'),
    concept: list('phrase', 'A search phrase for this memory; may be repeated.'),
    personal: flag('About you, not about this project.'),
  },
  examples: [
    'tidemark remember "Refresh tokens rotate on every use" --kind decision --reason "stolen ones die early"',
    'tidemark remember "The pool holds 20 connections" --concept "requests hang under load" --concept "too many clients"',
  ],
  async run(context) {
    const { args, options, lists, client, cwd } = context;
    const title = args.join(' ').trim();
    if (!title) throw usageError('no text given', 'tidemark remember "<text>" --kind decision');
    const draft = {
      kind: kindOf(String(options['kind'] ?? 'discovery')),
      title,
      body: String(options['body'] ?? ''),
      facts: lists['fact'] ?? [],
      concepts: lists['concept'] ?? [],
      files: lists['file'] ?? [],
      ...(options['reason'] ? { reason: String(options['reason']) } : {}),
    };
    const memory = await client.call('remember', {
      draft,
      ...(options['personal'] ? {} : { dir: cwd }),
    });
    printMemories(context, memory);
  },
};
