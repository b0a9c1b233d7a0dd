/** A memory by hand. */
import { MEMORY_KINDS, TidemarkError, type Memory } from '../../../core/index.ts';
import { JSON_OPTION, type Verb } from '../../verb.ts';
import { kindOf, memoryLine } from './_memory.ts';

export const remember: Verb = {
  name: 'remember',
  usage: 'remember <text…> [--kind <kind>] [--reason <text>] [--body <text>] [--file <path>]… [--personal]',
  summary: 'Write something down yourself.',
  options: {
    kind: { type: 'string', value: 'kind', doc: `One of ${MEMORY_KINDS.join(', ')} (discovery).` },
    reason: { type: 'string', doc: 'Why, for a decision.' },
    body: { type: 'string', doc: 'More than the title says.' },
    fact: { type: 'string', multiple: true, doc: 'A single fact; may be given more than once.' },
    file: { type: 'string', value: 'path', multiple: true, doc: 'A file it is about.' },
    concept: {
      type: 'string',
      value: 'phrase',
      multiple: true,
      doc: 'A phrase by which somebody comes upon it who does not know it; may be given more than once.',
    },
    personal: { type: 'boolean', doc: 'About you, not about this project.' },
    ...JSON_OPTION,
  },
  examples: [
    'tidemark remember "Refresh tokens rotate on every use" --kind decision --reason "stolen ones die early"',
    'tidemark remember "The pool holds 20 connections" --concept "requests hang under load" --concept "too many clients"',
  ],
  async run({ args, options, lists, client, cwd, screen }) {
    const title = args.join(' ').trim();
    if (!title)
      throw new TidemarkError('usage', 'what shall I remember?', {
        hint: 'tidemark remember "<text>" --kind decision',
      });
    const draft = {
      kind: kindOf(String(options['kind'] ?? 'discovery')),
      title,
      body: String(options['body'] ?? ''),
      facts: lists['fact'] ?? [],
      concepts: lists['concept'] ?? [],
      files: lists['file'] ?? [],
      ...(options['reason'] ? { reason: String(options['reason']) } : {}),
    };
    const memory = await client.call<Memory>('remember', {
      draft,
      ...(options['personal'] ? {} : { dir: cwd }),
    });
    if (options['json']) return screen.json(memory);
    screen.print(memoryLine(memory, screen));
  },
};
