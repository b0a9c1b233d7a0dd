/** The one table of what the hook client tells the user. Never reaches the model; each ends with what to do next. */

export const MESSAGES = {
  'no-node':
    'Tidemark: no Node was found, so nothing is remembered. Install Node 22.13 or newer, then run `tidemark repair`.',
  'broken-node':
    'Tidemark: this Node cannot run it, so nothing is remembered. Install Node 22.13 or newer, then run `tidemark repair`.',
  'missing-program':
    'Tidemark: its program files are missing, so nothing is remembered. Run `npm start` in its folder, or `tidemark repair`.',
  'old-node':
    'Tidemark: the daemon needs Node 22.13 or newer, so nothing is recalled; events are kept. Install a newer Node, then run `tidemark repair`.',
  'missing-module':
    'Tidemark: the daemon is not built, so nothing is recalled; events are kept. Run `npm start` in its folder, or `tidemark repair`.',
  'daemon-cannot-start':
    'Tidemark: the daemon could not start, so nothing new is recalled; events are kept. Run `tidemark doctor` to see why.',
  'disk-full': 'Tidemark: the disk is full, so nothing is remembered. Free some space; it goes on by itself.',
  'not-permitted':
    'Tidemark: its data folder cannot be written, so nothing is remembered. Run `tidemark doctor` to see which folder and why.',
  refused:
    'Tidemark: the daemon refused this event; it is kept. Run `tidemark repair` so that hook and daemon are of one version.',
  'timed-out':
    'Tidemark: the daemon did not answer in time and is being replaced; events are kept. If this comes again, run `tidemark doctor`.',
} as const;

export type MessageCode = keyof typeof MESSAGES;

/** What a failed write means to a person. */
export function messageForErrno(errno: string): MessageCode {
  return errno === 'ENOSPC' || errno === 'EDQUOT' ? 'disk-full' : 'not-permitted';
}

/** Adds messages to a line of hook output, which may be empty. */
export function withMessages(output: string, codes: readonly MessageCode[]): string {
  if (codes.length === 0) return output;
  const message = codes.map((code) => MESSAGES[code]).join('\n');
  const answer: Record<string, unknown> = output === '' ? {} : JSON.parse(output);
  const said = answer['systemMessage'];
  return JSON.stringify({
    ...answer,
    systemMessage: typeof said === 'string' ? `${said}\n${message}` : message,
  });
}
