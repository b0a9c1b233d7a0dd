/** Adds a memory on the user's request. */
import { MEMORY_KINDS } from '../../core/index.ts';
import { plainLine } from '../../privacy/index.ts';
import { kindOf } from '../lines.ts';
import { defineTool, texts } from '../tool.ts';

const MOST_ITEMS = 20;

export const remember = defineTool({
  name: 'remember',
  title: 'Remember',
  description:
    'Add a memory that every later session can find. Use it when the user asks to remember something, or settles a ' +
    'decision, preference or dead end that must not get lost. Not for routine work: sessions are captured automatically. ' +
    'One thing per call, in words that make sense without this conversation. Secrets are redacted.',
  properties: {
    title: { type: 'string', maxLength: 300, description: 'What to remember, in one sentence' },
    kind: {
      type: 'string',
      enum: MEMORY_KINDS,
      description:
        'decision (with a reason), preference (how the user wants things), dead_end (tried and failed), issue (still open), pattern, bugfix, feature, refactor; discovery if none fits',
    },
    reason: { type: 'string', maxLength: 2000, description: 'Why, above all for a decision' },
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
  async run(input, context) {
    const { title, kind = 'discovery', reason, body = '', facts = [], files = [], concepts = [] } = input;
    const { personal } = input;
    const draft = { kind, title, body, facts, files, concepts, ...(reason ? { reason } : {}) };
    const memory = await context.call('remember', {
      draft,
      ...(personal ? {} : { dir: context.dir }),
    });
    return `Remembered as ${memory.id} (${kindOf(memory)}, ${memory.project}): ${plainLine(memory.title)}`;
  },
});
