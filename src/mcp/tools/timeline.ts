/** Lists the memories around an entry or a day, in order of time. */
import { data, momentLine } from '../lines.ts';
import { defineTool, orNotFound, READS } from '../tool.ts';

const DEFAULT_LIMIT = 10;

export const timeline = defineTool({
  name: 'timeline',
  title: 'Timeline',
  description:
    'What was remembered before and after a memory or around a day in the current project, oldest first. ' +
    'Use it to see how something came about, or what was done on a day.',
  properties: {
    around: {
      type: 'string',
      maxLength: 200,
      description: 'Id of a memory, or a day: 2026-02-09, or 3d for three days ago',
    },
    limit: {
      type: 'integer',
      minimum: 2,
      maximum: 50,
      default: DEFAULT_LIMIT,
      description: 'Maximum number, half before and half after',
    },
  },
  required: ['around'],
  annotations: READS,
  async run({ around, limit = DEFAULT_LIMIT }, { call, dir, now }) {
    const line = await orNotFound(
      call('read.timeline', { around, limit, dir }),
      () => `"${around}" is neither the id of a memory nor a day`,
      'Ids come from search; a day looks like 2026-02-09 or 3d.',
    );
    const { before, anchor, after } = line;
    if (before.length + after.length === 0 && !anchor) return `No memories of this project around ${around}.`;
    return data([
      ...before.map((memory) => momentLine(memory, now)),
      anchor ? `${momentLine(anchor, now)}  ← this one` : `--- ${line.at.slice(0, 10)} ---`,
      ...after.map((memory) => momentLine(memory, now)),
    ]);
  },
});
