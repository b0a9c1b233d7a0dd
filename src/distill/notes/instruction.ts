/**
 * The texts that ask agents for notes: the moments, the exceptions and the form. The brief, the tools of the MCP server
 * and the skill use the same words. Short, because they are in the context of every session. `src/core/note-lines.ts`
 * reads the form.
 */

/** The form of `capture.agentNotes`. */
export type NotesForm = 'answer' | 'tool' | 'off';

export const NOTE_MOMENTS =
  'the user states or corrects a rule; a choice is made and an alternative rejected; an approach is abandoned; a cause is found; something is left open; something remembered is done or no longer true';
export const NOT_NOTED =
  'routine work, orders for the moment, proposals not accepted, quoted text, what is already remembered, secrets';
export const NOTE_KINDS =
  'preference (a rule), decision, discovery, dead_end (tried, given up), issue (left open), bugfix, pattern, feature, refactor';

const IN_ANSWER = `Note for later sessions when: ${NOTE_MOMENTS}. End the answer with one line per note:
Noted (decision): Use pg-boss for the job queue, because it needs no Redis. ("let's go with pg-boss")
That is: kind, one sentence in the user's language that makes sense alone, the exact words it rests on. Kinds: ${NOTE_KINDS}. \`Noted (decision, ends <id>): …\` replaces a remembered entry, \`Noted (ends <id>): …\` closes it; name a note of this session by its first words: \`ends "Use pg-boss"\`. Not for ${NOT_NOTED}. Most answers need none.`;

const BY_TOOL = `Note for later sessions with Tidemark's tools when: ${NOTE_MOMENTS}. Call \`remember\` (\`replaces\` names entries that it ends) or \`resolve\` in the same message as other tool calls. Not for ${NOT_NOTED}.`;

/** The paragraph of the brief; empty if notes are switched off. */
export function noteInstruction(form: NotesForm): string {
  switch (form) {
    case 'answer':
      return IN_ANSWER;
    case 'tool':
      return BY_TOOL;
    case 'off':
      return '';
  }
}

/**
 * The sentence of the MCP server. `briefed`: the session gets a brief, which already asks for notes, so the tools are only
 * for what the user asks.
 */
export function toolInstruction(form: NotesForm, briefed: boolean): string {
  if (form === 'off') return 'Use remember, forget and resolve when the user asks.';
  if (form === 'answer' && briefed)
    return 'Use remember, forget and resolve when the user asks; your own notes go into the answer.';
  if (briefed) return 'Use remember and resolve for notes, forget when the user asks.';
  return `Use remember and resolve, in the same message as other tool calls, when: ${NOTE_MOMENTS}. Not for ${NOT_NOTED}.`;
}
