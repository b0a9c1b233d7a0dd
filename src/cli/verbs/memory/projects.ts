/** Lists the projects. */
import { age } from '../../../recall/index.ts';
import { tilde } from '../../screen.ts';
import { pad, widthOf } from '../../text-width.ts';
import type { Verb } from '../../verb.ts';

export const projects: Verb = {
  name: 'projects',
  usage: 'projects',
  summary: 'List projects with memories, last session and folder.',
  async run({ options, client, screen }) {
    const list = await client.call('read.projects', {});
    if (options['json']) return screen.json(list);
    const { paint } = screen;
    const width = Math.max(0, ...list.map(({ id }) => widthOf(id))) + 2;
    for (const { id, memories, lastAt, paths } of list) {
      const when = lastAt ? age(lastAt, new Date()) : 'no session';
      const facts = paint.dim([when, ...paths.slice(0, 1).map((path) => tilde(path))].join(' · '));
      screen.print(
        `${paint.bold(pad(id, width))}${String(memories).padStart(5)} ${memories === 1 ? 'memory  ' : 'memories'}  ${facts}`,
      );
    }
    if (list.length === 0) screen.say('No projects yet. Import past sessions with: tidemark import history');
  },
};
