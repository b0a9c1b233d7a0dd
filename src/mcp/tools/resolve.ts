/** Marks issues as resolved, or memories as replaced by a newer one. */
import { TidemarkError } from '../../core/index.ts';
import { plainLine } from '../../privacy/index.ts';
import { kindOf } from '../lines.ts';
import { defineTool, texts } from '../tool.ts';

export const resolve = defineTool({
  name: 'resolve',
  title: 'Resolve',
  description:
    'Close open issues by id once they are done and checked; they rank lower but can still be found. With replaced_by, ' +
    'mark memories of any kind as replaced by that newer memory instead. Nothing is deleted.',
  properties: {
    ids: texts(20, 'Ids of the issues, or of the replaced memories'),
    replaced_by: {
      type: 'string',
      maxLength: 200,
      description: 'Id of the newer memory that replaces them; add it with remember first if there is none',
    },
  },
  required: ['ids'],
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run({ ids, replaced_by: by }, { call }) {
    try {
      if (by === undefined) {
        const done = await call('settle', { ids, done: true });
        return done.map((memory) => `${memory.id}, ${kindOf(memory)}: ${plainLine(memory.title)}`).join('\n');
      }
      for (const old of ids) await call('supersede', { old, by });
      return `${ids.join(', ')} replaced by ${by}.`;
    } catch (error) {
      throw withToolHint(error);
    }
  },
});

/** Replaces the daemon's hints, which name CLI verbs: a model has these tools. */
function withToolHint(error: unknown): unknown {
  if (!(error instanceof TidemarkError)) return error;
  if (error.code === 'not-found')
    return new TidemarkError(error.code, error.message, { hint: 'Ids come from search.' });
  if (error.code === 'usage')
    return new TidemarkError(error.code, error.message, {
      hint: 'For other kinds give replaced_by, the id of the newer memory.',
    });
  return error;
}
