/** Prints the brief of a session in this folder, exactly as the agent gets it, or the page of the project. */
import { plainText } from '../../../core/index.ts';
import { loadConfig, type Config } from '../../../config/index.ts';
import type { FolderView } from '../../../daemon/index.ts';
import { NO_MEMORIES } from '../../../recall/index.ts';
import { tilde } from '../../screen.ts';
import { wrapText } from '../../text-width.ts';
import { flag, type Context, type Verb } from '../../verb.ts';
import { LEFT_OUT, pauseLine } from '../process/pause.ts';

export const brief: Verb = {
  name: 'brief',
  usage: 'brief [--markdown]',
  summary: 'Show the brief that a session in this folder would get, or the page of its project.',
  options: { markdown: flag('Print the page of the project in Markdown: what is open and in force.') },
  examples: ['tidemark brief', 'tidemark brief --markdown > MEMORY.md'],
  async run(context) {
    const { options, client, cwd, places, env, flags, screen } = context;
    if (options['markdown']) {
      const page = await client.call('read.markdown', { dir: cwd });
      if (page) return screen.print(page);
      for (const line of await emptyLines(context)) screen.say(line);
      return;
    }
    const { values } = loadConfig({ places, env, projectDir: cwd, flags });
    const reason = reasonForNone(await client.call('read.place', { dir: cwd }), values);
    const args = { dir: cwd, tokens: values['recall.briefTokens'] };
    const brief = reason ? null : await client.call('read.brief', args);
    if (options['json']) return screen.json(brief);
    if (brief) return screen.print(wrapText(plainText(brief.text), screen.width));
    for (const line of reason ? [reason] : await emptyLines(context)) screen.say(line);
  },
};

/** Says why there is no brief, and what the user can do about it. */
async function emptyLines({ client, cwd }: Context): Promise<readonly string[]> {
  const { name, unused } = await client.call('journal.where', { dir: cwd });
  if (unused)
    return [
      `Nothing is remembered for ${name} yet. This clone contains a journal: ${tilde(unused)}`,
      'It is not used until you agree, because its text reaches your agent. To use it: tidemark journal in-repository',
    ];
  const why = await client.call('read.whyNoBrief', { dir: cwd });
  if (why !== NO_MEMORIES) return [`A session in ${name} would get no brief: ${why}.`];
  return [
    `Nothing is remembered for ${name} (${tilde(cwd)}) yet. It fills up with your next sessions here.`,
    'Import past ones: tidemark import history. Projects with memories: tidemark projects',
  ];
}

/** Returns why a session would get no memories here, even if there are some. */
export function reasonForNone({ ignored, paused, name }: FolderView, values: Config): string | undefined {
  if (ignored) return LEFT_OUT;
  const pause = paused.find(({ scope }) => scope !== 'session');
  if (pause) return pauseLine(pause, name);
  if (!values['recall.enabled']) return 'Recall is off: tidemark config set recall.enabled true';
  return undefined;
}
