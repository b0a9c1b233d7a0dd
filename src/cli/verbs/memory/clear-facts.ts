/** Forgets all memories of some kinds in a project. */
import type { Memory, MemoryKind } from '../../../core/index.ts';
import { confirm } from '../../confirm.ts';
import { counted } from '../../screen.ts';
import { EXIT, JSON_OPTION, type Verb } from '../../verb.ts';
import { kindOf } from './_memory.ts';

/** What its namesake kept, and what it cleared. */
const FACTS: readonly MemoryKind[] = ['decision', 'pattern', 'issue'];
const ALL = 1_000_000;

export const clearFacts: Verb = {
  name: 'clear-facts',
  usage: 'clear-facts [<kind>…] [--yes] [--now]',
  summary: 'Forget all decisions, patterns and issues of this project, or all of the kinds you name.',
  options: {
    yes: { type: 'boolean', doc: 'Do it without asking.' },
    now: { type: 'boolean', doc: 'Erase at once; there is no undo.' },
    ...JSON_OPTION,
  },
  async run(context) {
    const { args, options, client, cwd, screen } = context;
    const kinds = args.length > 0 ? args.map((word) => kindOf(word.replace(/s$/, ''))) : FACTS;
    const all = await client.call<readonly Memory[]>('read.memories', { dir: cwd, limit: ALL });
    const ids = all.filter(({ kind }) => kinds.includes(kind)).map(({ id }) => id);
    if (
      ids.length > 0 &&
      !(await confirm(context, `Forget ${counted(ids.length, 'memory', 'memories')} (${kinds.join(', ')})?`))
    ) {
      screen.say('Nothing was forgotten.');
      return EXIT.failed;
    }
    const gone =
      ids.length > 0
        ? await client.call<readonly string[]>('forget', { ids, now: Boolean(options['now']) })
        : [];
    if (options['json']) screen.json({ forgotten: gone });
    else screen.print(`Forgot ${counted(gone.length, 'memory', 'memories')} (${kinds.join(', ')}).`);
    if (gone.length > 0 && !options['now'])
      screen.say(`Their text is erased in 24 hours. Until then: tidemark forget --undo ${gone.join(' ')}`);
    return EXIT.ok;
  },
};
