/** The brief a session in this folder would start with, exactly as the agent gets it. */
import { loadConfig, type Config } from '../../../config/index.ts';
import type { FolderView } from '../../../daemon/index.ts';
import { wrapText } from '../../text-width.ts';
import { JSON_OPTION, type Verb } from '../../verb.ts';
import { LEFT_OUT, pauseLine } from '../process/pauses.ts';

export const brief: Verb = {
  name: 'brief',
  usage: 'brief',
  summary: 'Show what a session started in this folder would be told.',
  options: { ...JSON_OPTION },
  async run({ options, client, cwd, places, env, flags, screen }) {
    const { values } = loadConfig({ places, env, projectDir: cwd, flags });
    const silence = silenceOf(await client.call<FolderView>('read.place', { dir: cwd }), values);
    const args = { dir: cwd, tokens: values['recall.briefTokens'] };
    const brief = silence ? null : await client.call<{ text: string } | null>('read.brief', args);
    if (options['json']) return screen.json(brief);
    if (brief) return screen.print(wrapText(brief.text, screen.width));
    screen.say(silence ?? 'Nothing is remembered of this project yet.');
  },
};

/** Why a session would be told nothing, whatever is remembered. */
function silenceOf({ ignored, paused, name }: FolderView, values: Config): string | undefined {
  if (ignored) return LEFT_OUT;
  const pause = paused.find(({ scope }) => scope !== 'session');
  if (pause) return pauseLine(pause, name);
  if (!values['recall.enabled']) return 'Recall is off: tidemark config set recall.enabled true';
  return undefined;
}
