/** The brief a session in this folder would start with, exactly as the agent gets it. */
import { loadConfig } from '../../config/index.ts';
import { JSON_OPTION, type Verb } from '../verb.ts';

export const brief: Verb = {
  name: 'brief',
  usage: 'brief',
  summary: 'Show what a session started in this folder would be told.',
  options: { ...JSON_OPTION },
  async run({ options, client, cwd, places, env, flags, screen }) {
    const { values } = loadConfig({ places, env, projectDir: cwd, flags });
    const args = { dir: cwd, tokens: values['recall.briefTokens'] };
    const brief = await client.call<{ text: string } | null>('read.brief', args);
    if (options['json']) return screen.json(brief);
    if (brief) return screen.print(brief.text);
    screen.say('Nothing is remembered of this project yet.');
  },
};
