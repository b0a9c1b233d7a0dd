/** Lists the projects. */
import { age } from '../../recall/index.ts';
import { data } from '../lines.ts';
import { defineTool, READS } from '../tool.ts';

export const projects = defineTool({
  name: 'projects',
  title: 'Projects',
  description:
    'The projects remembered on this machine: id, how many memories, when the last session was. ' +
    'Search one of them with project:<id> in the query.',
  properties: {},
  required: [],
  annotations: READS,
  async run(_, { call, now }) {
    const list = await call('read.projects', {});
    if (list.length === 0) return 'No projects yet.';
    return data(
      list.map(({ id, name, memories, lastAt }) => {
        const when = lastAt ? `last session ${age(lastAt, now)}` : 'no session';
        return `${id}${name === id ? '' : ` (${name})`}: ${memories} ${memories === 1 ? 'memory' : 'memories'}, ${when}`;
      }),
    );
  },
});
