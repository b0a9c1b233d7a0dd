/** What waits for a yes, where `distill.review` is on. */
import { TidemarkError, type Memory } from '../../../core/index.ts';
import { JSON_OPTION, type Context, type Verb } from '../../verb.ts';
import { memoryLine } from './_memory.ts';

export const review: Verb = {
  name: 'review',
  usage: 'review [approve <id…> | reject <id…>] [--all]',
  summary: 'See new memories that wait for your yes, and say it (config: distill.review).',
  options: {
    all: { type: 'boolean', doc: 'Everything that waits in this project.' },
    ...JSON_OPTION,
  },
  examples: ['tidemark review', 'tidemark review approve 1ja0p3h7k2m9qx', 'tidemark review reject --all'],
  async run(context) {
    const [what = 'list', ...ids] = context.args;
    switch (what) {
      case 'list':
        return list(context, await waiting(context));
      case 'approve':
      case 'reject':
        return decide(context, what === 'approve', ids);
      default:
        throw new TidemarkError('usage', `review knows no "${what}"`, {
          hint: 'See: tidemark review --help',
        });
    }
  },
};

async function decide(context: Context, approved: boolean, given: readonly string[]): Promise<void> {
  const { options, client, screen } = context;
  const ids = options['all'] ? (await waiting(context)).map(({ id }) => id) : given;
  if (ids.length === 0 && !options['all'])
    throw new TidemarkError('usage', 'which ones?', { hint: 'Name ids, or say --all.' });
  const done = await client.call<readonly Memory[]>('review', { ids, approved });
  if (options['json']) return screen.json(done);
  screen.print(`${approved ? 'Remembered' : 'Dropped'} ${done.length}.`);
}

function waiting({ client, cwd }: Context): Promise<readonly Memory[]> {
  return client.call<readonly Memory[]>('read.waiting', { dir: cwd });
}

function list({ options, screen }: Context, memories: readonly Memory[]): void {
  if (options['json']) return screen.json(memories);
  for (const memory of memories) screen.print(memoryLine(memory, screen));
  if (memories.length === 0) screen.say('Nothing waits.');
}
