/** Pauses and resumes capture. A later import skips the paused time too. */
import type { FolderView } from '../../../daemon/index.ts';
import { flag, usageError, value, type Context, type Option, type Verb } from '../../verb.ts';

const SHORT_ID = 8;
const OPTIONS: Readonly<Record<string, Option>> = {
  everywhere: flag('In every project.'),
  session: value('id', 'Only in this session; the start of its id is enough.'),
};

export const pause: Verb = {
  name: 'pause',
  usage: 'pause [--everywhere | --session <id>]',
  summary:
    'Stop capture and recall in this project, everywhere, or in one session, until: tidemark resume. To keep Tidemark out of a project for good: tidemark ignore',
  options: OPTIONS,
  run: (context) => change(context, true),
};

export const resume: Verb = {
  name: 'resume',
  usage: 'resume [--everywhere | --session <id>]',
  summary: 'Resume capture and recall after a pause.',
  options: OPTIONS,
  run: (context) => change(context, false),
};

async function change({ options, client, cwd, screen }: Context, paused: boolean): Promise<void> {
  const session = options['session'];
  if (options['everywhere'] && session)
    throw usageError('use only one of --everywhere and --session', 'See: tidemark pause --help');
  const { project, name } = await client.call('read.place', { dir: cwd });
  const [args, where] = options['everywhere']
    ? [{ scope: 'everywhere' as const }, 'everywhere']
    : typeof session === 'string'
      ? [{ scope: 'session' as const, of: session }, `in session ${session}`]
      : [{ scope: 'project' as const, of: project }, `in ${name}`];
  const spans = await client.call('pause', { paused, ...args });
  if (options['json']) return screen.json(spans);
  const again = ['tidemark resume', ...flagsOf(options)].join(' ');
  screen.print(
    paused ? `Paused ${where}: nothing is captured or recalled until: ${again}` : `Resumed ${where}.`,
  );
  if (paused) return;
  const { paused: still } = await client.call('read.place', { dir: cwd });
  for (const one of still) screen.print(pauseLine(one, name));
}

function flagsOf({ everywhere, session }: Context['options']): readonly string[] {
  if (everywhere) return ['--everywhere'];
  return typeof session === 'string' ? ['--session', session] : [];
}

/** Shown for a folder that is excluded by the user. */
export const LEFT_OUT =
  'This folder is ignored (.tidemark-ignore or capture.ignore): nothing is captured or recalled here. End it with: tidemark ignore --remove';

export function pauseLine({ scope, of = '' }: FolderView['paused'][number], project: string): string {
  switch (scope) {
    case 'everywhere':
      return 'Paused everywhere: nothing is captured. Resume with: tidemark resume --everywhere';
    case 'project':
      return `Paused in ${project}: nothing is captured here. Resume with: tidemark resume`;
    case 'session': {
      const short = of.slice(0, SHORT_ID);
      return `Paused in session ${short}. Resume with: tidemark resume --session ${short}`;
    }
  }
}
