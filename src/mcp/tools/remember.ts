/** Adds a memory that the agent notes, for itself or because the user asks. */
import { LONGEST_TITLE, MEMORY_KINDS, TidemarkError, plainLine, shortId } from '../../core/index.ts';
import { NOT_NOTED, NOTE_MOMENTS } from '../../distill/index.ts';
import { appearsLine, receiptOf } from '../../recall/index.ts';
import { kindOf } from '../lines.ts';
import { refusal } from '../refusal.ts';
import { defineTool, orNotFound, texts } from '../tool.ts';

const MOST_ITEMS = 20;

export const remember = defineTool({
  name: 'remember',
  title: 'Remember',
  description:
    `Note something that later sessions must know. Use it when the user asks, and when: ${NOTE_MOMENTS}. Not for ` +
    `${NOT_NOTED}. One thing per call, in words that make sense without this conversation.`,
  properties: {
    title: { type: 'string', maxLength: LONGEST_TITLE, description: "One sentence in the user's language" },
    kind: {
      type: 'string',
      enum: MEMORY_KINDS,
      description:
        'preference (a rule of the user), decision (with a reason), dead_end (tried and given up), issue (left open), pattern, bugfix, feature, refactor; discovery if none fits',
    },
    quote: {
      type: 'string',
      maxLength: 500,
      description: 'The exact words it rests on, of the user if the user said it',
    },
    reason: { type: 'string', maxLength: 2000, description: 'Why, above all for a decision' },
    replaces: texts(MOST_ITEMS, 'Ids of remembered entries that it replaces or settles'),
    body: { type: 'string', maxLength: 5000, description: 'More details, if a sentence is not enough' },
    facts: texts(MOST_ITEMS, 'Single facts worth finding: commands, values, error messages'),
    files: texts(MOST_ITEMS, "Files it is about, relative to the project's root"),
    concepts: texts(
      MOST_ITEMS,
      'Four to eight short search phrases for someone who does not know it: the symptom, the task, everyday words; not words of the title',
    ),
    personal: {
      type: 'boolean',
      description: 'true: about the user, for every project; otherwise for the current project',
    },
  },
  required: ['title'],
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  async run(input, { call, dir, session, toolUse }) {
    const { title, kind = 'discovery', reason, body = '', facts = [], files = [], concepts = [] } = input;
    const { personal, quote = '', replaces = [] } = input;
    const draft = {
      kind,
      title,
      body,
      facts,
      files,
      concepts,
      ...(reason ? { reason } : {}),
      ...(personal ? { personal } : {}),
    };
    const outcome = await orNotFound(
      call('note', { draft, quote, ends: replaces, dir, session, call: toolUse }),
      (message) => message,
    );
    switch (outcome.kind) {
      case 'refused':
        throw refusal(outcome.reason);
      case 'pending':
        return [
          `Noted${outcome.id === undefined ? '' : ` as ${shortId(outcome.id)}`}; it is stored with this turn, for ${personal ? 'every project' : 'this project'}: ${plainLine(title)}`,
          ...(outcome.id === undefined ? [] : [undoLine(outcome.id)]),
        ].join('\n');
      case 'stored': {
        const { memory, waits, ended } = outcome;
        if (!memory) throw new TidemarkError('internal', 'nothing was stored');
        const receipt = receiptOf(memory, { waits });
        const as = waits ? `Noted for the user's review as` : 'Remembered as';
        return [
          `${as} ${shortId(memory.id)} (${kindOf(memory)}, ${memory.project}): ${plainLine(memory.title)}`,
          ...ended.map((one) => `Ended ${shortId(one.id)}: ${plainLine(one.title)}`),
          appearsLine(receipt),
          waits ? `Undo: ${receipt.undo}` : undoLine(memory.id),
        ].join('\n');
      }
    }
  },
});

function undoLine(id: string): string {
  return `Undo: the tool forget with ["${shortId(id)}"], or the user runs tidemark forget ${shortId(id)}`;
}
