/** A memory by hand. */
import { MEMORY_KINDS, TidemarkError, type Memory, type MemoryKind } from '../../model/index.ts';
import { JSON_OPTION, type Verb } from '../verb.ts';

export const remember: Verb = {
  name: 'remember',
  usage: 'remember <text…> [--kind <kind>] [--reason <text>] [--personal]',
  summary: 'Write something down yourself.',
  options: {
    kind: { type: 'string', value: 'kind', doc: `One of ${MEMORY_KINDS.join(', ')} (discovery).` },
    reason: { type: 'string', doc: 'Why, for a decision.' },
    personal: { type: 'boolean', doc: 'About you, not about this project.' },
    ...JSON_OPTION,
  },
  examples: [
    'tidemark remember "Refresh tokens rotate on every use" --kind decision --reason "stolen ones die early"',
  ],
  async run({ args, options, client, cwd, screen }) {
    const title = args.join(' ').trim();
    const kind = String(options['kind'] ?? 'discovery');
    if (!title) throw new TidemarkError('usage', 'what shall I remember?');
    if (!isKind(kind)) {
      throw new TidemarkError('usage', `"${kind}" is no kind`, {
        hint: `One of ${MEMORY_KINDS.join(', ')}.`,
      });
    }
    const reason = typeof options['reason'] === 'string' ? { reason: options['reason'] } : {};
    const draft = { kind, title, body: '', facts: [], concepts: [], files: [], ...reason };
    const memory = await client.call<Memory>('remember', {
      draft,
      ...(options['personal'] ? {} : { dir: cwd }),
    });
    if (options['json']) return screen.json(memory);
    screen.print(`${memory.id}  ${memory.kind} · ${memory.title}`);
  },
};

function isKind(kind: string): kind is MemoryKind {
  return (MEMORY_KINDS as readonly string[]).includes(kind);
}
