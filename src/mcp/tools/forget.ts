/** Forgets memories on the user's request. */
import { shortId } from '../../core/index.ts';
import { defineTool, orNotFound, texts } from '../tool.ts';

export const forget = defineTool({
  name: 'forget',
  title: 'Forget',
  description:
    'Forget memories by id: hidden at once, erased after a day, and never added again. Only when the user asks for it: open them ' +
    'with show first and make sure they are the right ones. If something is only done or replaced, use resolve.',
  properties: {
    ids: texts(20, 'Ids of the memories'),
  },
  required: ['ids'],
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async run({ ids }, { call }) {
    const gone = await orNotFound(call('forget', { ids }), (message) => `${message}; nothing was forgotten`);
    return `Forgot ${gone.map(shortId).join(', ')}: hidden now, erased in 24 hours; until then the user can undo it with \`tidemark forget --undo <id>\`. Tidemark cannot erase the client's own transcripts or git history.`;
  },
});
