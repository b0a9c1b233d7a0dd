/** Takes memories away for good. */
import { TidemarkError } from '../../model/index.ts';
import { JSON_OPTION, type Verb } from '../verb.ts';

export const forget: Verb = {
  name: 'forget',
  usage: 'forget <id…>',
  summary: 'Forget memories: out of journal and index, and they stay away.',
  options: { ...JSON_OPTION },
  async run({ args, options, client, screen }) {
    if (args.length === 0) throw new TidemarkError('usage', 'which one?', { hint: 'tidemark forget <id>' });
    const gone = await client.call<readonly string[]>('forget', { ids: args });
    if (options['json']) return screen.json(gone);
    screen.print(`Forgot ${gone.join(', ')}.`);
    screen.say("The agent's own transcripts and git history are out of Tidemark's reach.");
  },
};
