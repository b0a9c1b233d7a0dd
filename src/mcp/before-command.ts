/**
 * Answers the client's hook before a shell command: nothing, or a stop if a memory forbids exactly this command. Not in the
 * list of tools. Unless `recall.stopOnce` is on, it ends here, without the daemon.
 */
import { ABOUT_HOOK, inTime } from './_in-time.ts';
import { defineTool, READS } from './tool.ts';

export const beforeCommand = defineTool({
  name: 'before_command',
  title: 'Before a command',
  description: 'Called by the client, not by the model.',
  properties: {
    command: { type: 'string', description: 'The shell command about to run' },
    cwd: { type: 'string', description: 'The current folder' },
    mode: { type: 'string', description: 'The permission mode of the session' },
    ...ABOUT_HOOK,
  },
  required: [],
  annotations: READS,
  async run({ command, cwd, mode = '', ...hook }, context) {
    if (!command || !context.stopsOnce()) return '';
    return inTime(
      (question, signal) => context.callIfUp('before-command', question, signal),
      { command, cwd: cwd || context.dir, mode },
      hook,
      context,
    );
  },
});
