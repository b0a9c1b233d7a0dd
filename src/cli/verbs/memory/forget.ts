/** Takes memories away: out of sight at once, erased after a day. */
import { JSON_OPTION, type Verb } from '../../verb.ts';
import { idsFrom } from './_memory.ts';

export const forget: Verb = {
  name: 'forget',
  usage: 'forget <id…> [--now | --undo]',
  summary: 'Forget memories: hidden at once, erased after 24 hours, and they stay away.',
  options: {
    now: { type: 'boolean', doc: 'Erase at once; there is no undo.' },
    undo: { type: 'boolean', doc: 'Bring back what was forgotten less than 24 hours ago.' },
    ...JSON_OPTION,
  },
  async run({ args, options, client, screen }) {
    const ids = idsFrom(args, 'forget <id>');
    const [now, undo] = [Boolean(options['now']), Boolean(options['undo'])];
    const done = await client.call<readonly string[]>('forget', { ids, now, undo });
    if (options['json']) return screen.json(done);
    if (undo) return screen.print(`Remembered again: ${done.join(', ')}.`);
    screen.print(`Forgot ${done.join(', ')}${now ? ', for good' : ''}.`);
    if (!now)
      screen.say(
        'Its text, and the turns that said it, are erased in 24 hours. Until then: tidemark forget --undo <id>',
      );
    screen.say("The agent's own transcripts and git history are out of Tidemark's reach.");
  },
};
