/**
 * Answers the client's hook after a file was read, with the client's own tool or by a shell command that prints it. Not in
 * the list of tools, as `before_edit`. Most commands print no file; they end here, without the daemon.
 */
import { pathIn, printedFiles } from '../core/index.ts';
import { ABOUT_HOOK, inTime } from './_in-time.ts';
import { defineTool, READS } from './tool.ts';

export const afterRead = defineTool({
  name: 'after_read',
  title: 'After a read',
  description: 'Called by the client, not by the model.',
  properties: {
    file: { type: 'string', description: 'The file that was read' },
    searched: { type: 'string', description: 'The file or folder that was searched' },
    command: { type: 'string', description: 'The shell command that ran' },
    cwd: { type: 'string', description: 'The current folder' },
    ...ABOUT_HOOK,
  },
  required: [],
  annotations: READS,
  async run({ file, searched, command = '', cwd, ...hook }, context) {
    const path = file || searched;
    const folder = cwd || context.dir;
    // The path of a search may be relative.
    const files = path ? [pathIn(folder, path)] : printedFiles(command, folder);
    if (files.length === 0) return '';
    return inTime(
      (question, signal) => context.callIfUp('after-read', question, signal),
      { files },
      hook,
      context,
    );
  },
});
