/** The wire of Claude Code. Its form is ours, so nothing is translated. */
import type { Wire } from '../wire/wire.ts';

export const claudeCodeWire: Wire = {
  agent: 'claude-code',
  variables: ['CLAUDE_CONFIG_DIR'],
  sessionVariable: 'CLAUDE_CODE_SESSION_ID',
  toInput: (_event, input) => input,
  toOutput: (_hook, answer) => answer,
  toCall: ({ 'claudecode/toolUseId': call }) =>
    typeof call === 'string' ? { session: '', thread: '', call, folders: [] } : undefined,
};
