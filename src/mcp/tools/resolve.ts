/** Says that an issue is done, or that something no longer holds because something newer does. */
import { TidemarkError, type Memory } from '../../core/index.ts';
import { plainLine } from '../../privacy/index.ts';
import { kindOf } from '../lines.ts';
import { defineTool } from '../tool.ts';

export const resolve = defineTool({
  name: 'resolve',
  title: 'Resolve',
  description:
    'Close open issues by id once they are done and checked; they sink in recall but can still be found. With replaced_by, ' +
    'say instead that memories of any kind no longer hold because that newer memory does. Nothing is deleted.',
  inputSchema: {
    type: 'object',
    properties: {
      ids: {
        type: 'array',
        items: { type: 'string' },
        maxItems: 20,
        description: 'Ids of the issues, or of what no longer holds',
      },
      replaced_by: {
        type: 'string',
        maxLength: 200,
        description:
          'Id of the newer memory that holds instead; write it with remember first if there is none',
      },
    },
    required: ['ids'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run({ ids, replaced_by: by }, { call }) {
    try {
      if (by === undefined) {
        const done = await call<readonly Memory[]>('settle', { ids, done: true });
        return done.map((memory) => `${memory.id}, ${kindOf(memory)}: ${plainLine(memory.title)}`).join('\n');
      }
      for (const old of ids) await call('supersede', { old, by });
      return `${ids.join(', ')} replaced by ${by}.`;
    } catch (error) {
      throw inOurWords(error);
    }
  },
});

/** The daemon's hints name the CLI's verbs; a model has these tools. */
function inOurWords(error: unknown): unknown {
  if (!(error instanceof TidemarkError)) return error;
  if (error.code === 'not-found')
    return new TidemarkError(error.code, error.message, { hint: 'Ids come from search.' });
  if (error.code === 'usage')
    return new TidemarkError(error.code, error.message, {
      hint: 'For other kinds give replaced_by, the id of what holds instead.',
    });
  return error;
}
