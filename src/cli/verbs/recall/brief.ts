/** Prints the brief of a session in this folder, exactly as the agent gets it. */
import { plainText } from '../../../core/index.ts';
import { loadConfig, type Config } from '../../../config/index.ts';
import type { FolderView } from '../../../daemon/index.ts';
import { wrapText } from '../../text-width.ts';
import type { Verb } from '../../verb.ts';
import { LEFT_OUT, pauseLine } from '../process/pause.ts';

export const brief: Verb = {
  name: 'brief',
  usage: 'brief',
  summary: 'Show the brief that a session in this folder would get.',
  async run({ options, client, cwd, places, env, flags, screen }) {
    const { values } = loadConfig({ places, env, projectDir: cwd, flags });
    const reason = reasonForNone(await client.call('read.place', { dir: cwd }), values);
    const args = { dir: cwd, tokens: values['recall.briefTokens'] };
    const brief = reason ? null : await client.call('read.brief', args);
    if (options['json']) return screen.json(brief);
    if (brief) return screen.print(wrapText(plainText(brief.text), screen.width));
    screen.say(reason ?? 'Nothing is remembered for this project yet.');
  },
};

/** Returns why a session would get no brief even if there are memories. */
function reasonForNone({ ignored, paused, name }: FolderView, values: Config): string | undefined {
  if (ignored) return LEFT_OUT;
  const pause = paused.find(({ scope }) => scope !== 'session');
  if (pause) return pauseLine(pause, name);
  if (!values['recall.enabled']) return 'Recall is off: tidemark config set recall.enabled true';
  return undefined;
}
