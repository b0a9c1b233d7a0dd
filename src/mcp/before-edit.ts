/**
 * What the client's hook asks before it changes a file. Not in the list of tools: no model has a use for it, and its
 * name would cost every request. Whatever goes wrong it says nothing, for the client reports an error to the person.
 */
import { EDIT_BUDGET_MS } from '../core/index.ts';
import { defineTool, READS } from './tool.ts';

/** The hook's result has to be on its way when the budget ends. Tests on a busy machine have more patience. */
const ANSWER_MS = Number(process.env['TIDEMARK_EDIT_MS'] ?? EDIT_BUDGET_MS) - 30;
/** A daemon that was late twice running would cost every following edit the same; once may be a busy machine. */
const LEAVE_ALONE_MS = 30_000;
const LATE_TWICE = 2;

let quietUntil = 0;
let late = 0;

export const beforeEdit = defineTool({
  name: 'before_edit',
  title: 'Before an edit',
  description: 'Asked by the client itself.',
  inputSchema: {
    type: 'object',
    properties: {
      file: { type: 'string', description: 'The file about to be changed' },
      notebook: { type: 'string', description: 'The same for a notebook' },
      session: { type: 'string', description: 'The session' },
      agent: { type: 'string', description: 'The subagent, where one does it' },
      call: { type: 'string', description: 'The tool call' },
    },
    required: [],
    additionalProperties: false,
  },
  annotations: READS,
  async run({ file, notebook, agent = '', call = '', ...given }, { callIfUp, dir, session }) {
    const path = file || notebook;
    if (!path || performance.now() < quietUntil) return '';
    const signal = AbortSignal.timeout(ANSWER_MS);
    const limitMs = ANSWER_MS - 20; // the socket takes its part
    const question = { session: given.session || session, agent, call, dir, file: path, limitMs };
    try {
      const answer = await callIfUp<{ output: string }>('before-edit', question, signal);
      late = 0;
      return answer?.output ?? '';
    } catch {
      late = signal.aborted ? late + 1 : 0;
      if (late >= LATE_TWICE) quietUntil = performance.now() + LEAVE_ALONE_MS;
      return '';
    }
  },
});
