/** Look away: nothing said while paused is kept, now or by a later import. */
import { TidemarkError } from '../../model/index.ts';
import { JSON_OPTION, type Context, type Option, type Verb } from '../verb.ts';

const OPTIONS: Readonly<Record<string, Option>> = {
  everywhere: { type: 'boolean', doc: 'In every project.' },
  session: { type: 'string', value: 'id', doc: 'Only in this session.' },
  ...JSON_OPTION,
};

export const pause: Verb = {
  name: 'pause',
  usage: 'pause [--everywhere | --session <id>]',
  summary: 'Stop remembering: in this project, everywhere, or in one session.',
  options: OPTIONS,
  run: (context) => change(context, true),
};

export const resume: Verb = {
  name: 'resume',
  usage: 'resume [--everywhere | --session <id>]',
  summary: 'Remember again after a pause.',
  options: OPTIONS,
  run: (context) => change(context, false),
};

async function change({ options, client, cwd, screen }: Context, paused: boolean): Promise<void> {
  const args = options['everywhere']
    ? { scope: 'everywhere' }
    : typeof options['session'] === 'string'
      ? { scope: 'session', of: options['session'] }
      : { scope: 'project', of: await projectOf(client, cwd) };
  const spans = await client.call<readonly unknown[]>('pause', { paused, ...args });
  if (options['json']) return screen.json(spans);
  const where = args.scope === 'everywhere' ? 'everywhere' : `in ${args.scope} ${args.of}`;
  screen.print(paused ? `Paused ${where}. Nothing said from now on is kept.` : `Remembering again ${where}.`);
}

async function projectOf(client: Context['client'], dir: string): Promise<string> {
  const { project } = await client.call<{ project: string | null }>('read.place', { dir });
  if (project) return project;
  throw new TidemarkError('not-found', 'this folder belongs to no project');
}
