/**
 * Answers the client's hook before an edit. It is not in the list of tools: the model has no use for it, and its name
 * would cost tokens in every request.
 */
import { ABOUT_HOOK, inTime } from './_in-time.ts';
import { defineTool, READS } from './tool.ts';

export const beforeEdit = defineTool({
  name: 'before_edit',
  title: 'Before an edit',
  description: 'Asked by the client itself.',
  properties: {
    file: { type: 'string', description: 'The file about to be changed' },
    notebook: { type: 'string', description: 'The same for a notebook' },
    ...ABOUT_HOOK,
  },
  required: [],
  annotations: READS,
  async run({ file, notebook, ...hook }, context) {
    const path = file || notebook;
    if (!path) return '';
    return inTime(
      (question, signal) => context.callIfUp('before-edit', question, signal),
      { file: path },
      hook,
      context,
    );
  },
});
