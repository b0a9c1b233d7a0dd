/**
 * Answers the client's hook before an edit. It is not in the list of tools: the model has no use for it, and its name
 * would cost tokens in every request. It fails silently, because the client shows errors to the user.
 */
import { EDIT_BUDGET_MS } from '../core/index.ts';
import { defineTool, READS } from './tool.ts';

/** The result must be sent before the budget ends. Tests on a busy machine allow more time. */
const ANSWER_MS = Number(process.env['TIDEMARK_EDIT_MS'] ?? EDIT_BUDGET_MS) - 30;
/** After two late answers in a row, edits skip the daemon for this long; one may be a busy machine. */
const LEAVE_ALONE_MS = 30_000;
const MAX_LATE = 2;

let quietUntil = 0;
let late = 0;

export const beforeEdit = defineTool({
  name: 'before_edit',
  title: 'Before an edit',
  description: 'Asked by the client itself.',
  properties: {
    file: { type: 'string', description: 'The file about to be changed' },
    notebook: { type: 'string', description: 'The same for a notebook' },
    session: { type: 'string', description: 'The session' },
    agent: { type: 'string', description: 'The subagent, where one does it' },
    call: { type: 'string', description: 'The tool call' },
  },
  required: [],
  annotations: READS,
  async run({ file, notebook, agent = '', call = '', ...given }, { callIfUp, dir, session }) {
    const path = file || notebook;
    if (!path || performance.now() < quietUntil) return '';
    const signal = AbortSignal.timeout(ANSWER_MS);
    const limitMs = ANSWER_MS - 20; // time for the socket
    const question = { session: given.session || session, agent, call, dir, file: path, limitMs };
    try {
      const answer = await callIfUp('before-edit', question, signal);
      late = 0;
      return answer?.output ?? '';
    } catch {
      late = signal.aborted ? late + 1 : 0;
      if (late >= MAX_LATE) quietUntil = performance.now() + LEAVE_ALONE_MS;
      return '';
    }
  },
});
