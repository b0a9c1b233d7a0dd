/** Notes of our plugin about a command that the user typed: the client stores only the text that the command stands for. */

/** Their key in the metadata of the prompt's part. */
export const OWN_COMMAND_KEY = 'tidemark_command';

/** `typedCommand('tidemark-search', 'queue')` → `/tidemark:search queue`, as other agents name our commands. */
export function typedCommand(command: string, given: string): string {
  return `/${command.replace(/^tidemark[-/]/, 'tidemark:')} ${given}`.trim();
}
