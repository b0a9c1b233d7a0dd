/** Takes memories away because the user wants them gone. */
import { TidemarkError } from '../../core/index.ts';
import { defineTool } from '../tool.ts';

export const forget = defineTool({
  name: 'forget',
  title: 'Forget',
  description:
    'Take memories away by id: hidden at once, erased after a day, and not made again. Only when the user asks for it: open them ' +
    'with show first and make sure they are the ones meant. For something that is merely done or replaced use resolve.',
  inputSchema: {
    type: 'object',
    properties: {
      ids: {
        type: 'array',
        items: { type: 'string' },
        maxItems: 20,
        description: 'Ids of the memories, whole',
      },
    },
    required: ['ids'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async run({ ids }, { call }) {
    const gone = await call<readonly string[]>('forget', { ids }).catch((error: unknown) => {
      if (!(error instanceof TidemarkError) || error.code !== 'not-found') throw error;
      throw new TidemarkError('not-found', `${error.message}; nothing was forgotten`, {
        hint: 'Ids come from search.',
      });
    });
    return `Forgot ${gone.join(', ')}: hidden now, erased in 24 hours; until then the user can take it back with \`tidemark forget --undo <id>\`. The client's own transcripts and git history are out of reach.`;
  },
});
