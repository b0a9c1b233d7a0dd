/**
 * Answers the client's hook before an edit. It is not in the list of tools: the model has no use for it, and its name
 * would cost tokens in every request.
 */
import { ABOUT_HOOK, inTime } from './_in-time.ts';
import { defineTool, READS } from './tool.ts';

export const beforeEdit = defineTool({
  name: 'before_edit',
  title: 'Before an edit',
  description: 'Called by the client, not by the model.',
  properties: {
    file: { type: 'string', description: 'The file about to be changed' },
    notebook: { type: 'string', description: 'The same for a notebook' },
    old: { type: 'string', description: 'The text that an edit replaces' },
    new: { type: 'string', description: 'The text that replaces it' },
    content: { type: 'string', description: 'The text that a write stores' },
    mode: { type: 'string', description: 'The permission mode of the session' },
    ...ABOUT_HOOK,
  },
  required: [],
  annotations: READS,
  async run({ file, notebook, old = '', new: added = '', content = '', mode = '', ...hook }, context) {
    const path = file || notebook;
    if (!path) return '';
    return inTime(
      (question, signal) => context.callIfUp('before-edit', question, signal),
      { file: path, ...(context.stopsOnce() ? { mode, change: changeOf(old, added, content) } : {}) },
      hook,
      context,
    );
  },
});

/** More text than a model writes at once. Of a longer edit only the path counts. */
const LONGEST_CHANGE = 500_000;

/** A write replaces the whole file, which the daemon reads. */
function changeOf(removed: string, added: string, content: string): { removed?: string; added: string } {
  if (Math.max(removed.length, added.length, content.length) > LONGEST_CHANGE)
    return { removed: '', added: '' };
  return content !== '' && removed === '' && added === '' ? { added: content } : { removed, added };
}
