/** Look away: nothing said while paused is kept, now or by a later import. */
import type { FolderView } from '../../../daemon/index.ts';
import { JSON_OPTION, type Context, type Option, type Verb } from '../../verb.ts';
import { pauseLine } from './pauses.ts';

const OPTIONS: Readonly<Record<string, Option>> = {
  everywhere: { type: 'boolean', doc: 'In every project.' },
  session: { type: 'string', value: 'id', doc: 'Only in this session; the beginning of its id is enough.' },
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
  const { project, name } = await client.call<FolderView>('read.place', { dir: cwd });
  const session = options['session'];
  const [args, where] = options['everywhere']
    ? [{ scope: 'everywhere' }, 'everywhere']
    : typeof session === 'string'
      ? [{ scope: 'session', of: session }, `in session ${session}`]
      : [{ scope: 'project', of: project }, `in ${name}`];
  const spans = await client.call<readonly unknown[]>('pause', { paused, ...args });
  if (options['json']) return screen.json(spans);
  const again = ['tidemark resume', ...flagsOf(options)].join(' ');
  screen.print(
    paused
      ? `Paused ${where}: nothing said from now on is kept or brought back, until: ${again}`
      : `Remembering again ${where}.`,
  );
  if (paused) return;
  const { paused: still } = await client.call<FolderView>('read.place', { dir: cwd });
  for (const one of still) screen.print(pauseLine(one, name));
}

function flagsOf({ everywhere, session }: Context['options']): readonly string[] {
  if (everywhere) return ['--everywhere'];
  return typeof session === 'string' ? ['--session', session] : [];
}
