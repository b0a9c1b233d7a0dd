/** What was remembered around an entry or a day, in order of time. */
import { TidemarkError } from '../../core/index.ts';
import type { Timeline } from '../../recall/index.ts';
import { data, momentLine } from '../lines.ts';
import { defineTool, READS } from '../tool.ts';

const DEFAULT_LIMIT = 10;

export const timeline = defineTool({
  name: 'timeline',
  title: 'Timeline',
  description:
    'What was remembered before and after a memory or around a day in the present project, oldest first. ' +
    'Use it to see how something came about, or what was done on a day.',
  inputSchema: {
    type: 'object',
    properties: {
      around: {
        type: 'string',
        maxLength: 200,
        description: 'Id of a memory, or a day: 2026-02-09, yesterday',
      },
      limit: {
        type: 'integer',
        minimum: 2,
        maximum: 50,
        default: DEFAULT_LIMIT,
        description: 'How many in all, half before and half after',
      },
    },
    required: ['around'],
    additionalProperties: false,
  },
  annotations: READS,
  async run({ around, limit = DEFAULT_LIMIT }, { call, dir, now }) {
    const line = await call<Timeline>('read.timeline', { around, limit, dir }).catch((error: unknown) => {
      if (!(error instanceof TidemarkError) || error.code !== 'not-found') throw error;
      throw new TidemarkError('not-found', `"${around}" is neither the id of a memory nor a day`, {
        hint: 'Ids come from search; a day looks like 2026-02-09.',
      });
    });
    const { before, anchor, after } = line;
    if (before.length + after.length === 0 && !anchor)
      return `Nothing is remembered of this project around ${around}.`;
    return data([
      ...before.map((memory) => momentLine(memory, now)),
      anchor ? `${momentLine(anchor, now)}  ← this one` : `--- ${line.at.slice(0, 10)} ---`,
      ...after.map((memory) => momentLine(memory, now)),
    ]);
  },
});
