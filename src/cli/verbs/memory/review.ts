/** Lists, approves and rejects new memories when `notes.review` is on. */
import type { Memory } from '../../../core/index.ts';
import { flag, usageError, type Context, type Verb } from '../../verb.ts';
import { printMemories } from './_memory.ts';

export const review: Verb = {
  name: 'review',
  usage: 'review [approve <id…> | reject <id…>] [--all]',
  summary: 'Review new memories: approve or reject them (setting: notes.review).',
  options: {
    all: flag('All memories to review in this project.'),
  },
  examples: ['tidemark review', 'tidemark review approve 7k2m9qx', 'tidemark review reject --all'],
  async run(context) {
    const [what = 'list', ...ids] = context.args;
    switch (what) {
      case 'list':
        return list(context, await waiting(context));
      case 'approve':
      case 'reject':
        return decide(context, what === 'approve', ids);
      default:
        throw usageError(`there is no "review ${what}"`, 'See: tidemark review --help');
    }
  },
};

async function decide(context: Context, approved: boolean, given: readonly string[]): Promise<void> {
  const { options, client, screen } = context;
  const ids = options['all'] ? (await waiting(context)).map(({ id }) => id) : given;
  if (ids.length === 0 && !options['all']) throw usageError('no id given', 'Give ids, or --all.');
  const done = await client.call('review', { ids, approved });
  if (options['json']) return screen.json(done);
  screen.print(`${approved ? 'Approved' : 'Rejected'} ${done.length}.`);
}

function waiting({ client, cwd }: Context): Promise<readonly Memory[]> {
  return client.call('read.waiting', { dir: cwd });
}

function list(context: Context, memories: readonly Memory[]): void {
  printMemories(context, memories);
  if (memories.length === 0 && !context.options['json']) context.screen.say('Nothing to review.');
}
