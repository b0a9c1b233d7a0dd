/** Writes something down because the user wants it kept. */
import { MEMORY_KINDS, type Memory } from '../../core/index.ts';
import { plainLine } from '../../privacy/index.ts';
import { kindOf } from '../lines.ts';
import { defineTool } from '../tool.ts';

const MOST_ITEMS = 20;

export const remember = defineTool({
  name: 'remember',
  title: 'Remember',
  description:
    'Write a memory down that every later session can find. Use it when the user asks to remember something, or settles a ' +
    'decision, preference or dead end that must not get lost. Not for routine work: sessions are captured by themselves. ' +
    'One thing per call, in words that make sense without this conversation. Secrets are taken out.',
  inputSchema: {
    type: 'object',
    properties: {
      title: { type: 'string', maxLength: 300, description: 'The thing itself in one sentence' },
      kind: {
        type: 'string',
        enum: MEMORY_KINDS,
        description:
          'decision (with a reason), preference (how the user wants things), dead_end (tried and failed), issue (still open), pattern, bugfix, feature, refactor; discovery if none fits',
      },
      reason: { type: 'string', maxLength: 2000, description: 'Why, above all for a decision' },
      body: { type: 'string', maxLength: 5000, description: 'More about it, where a sentence is not enough' },
      facts: {
        type: 'array',
        items: { type: 'string' },
        maxItems: MOST_ITEMS,
        description: 'Single facts worth finding: commands, values, error messages',
      },
      files: {
        type: 'array',
        items: { type: 'string' },
        maxItems: MOST_ITEMS,
        description: "Files it is about, relative to the project's root",
      },
      concepts: {
        type: 'array',
        items: { type: 'string' },
        maxItems: MOST_ITEMS,
        description:
          'Four to eight short phrases by which somebody comes upon it who does not know it: what they see when it bites, what they are about to do, everyday words; not words of the title',
      },
      personal: {
        type: 'boolean',
        description: 'true: about the user, for every project; otherwise it belongs to the present project',
      },
    },
    required: ['title'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  async run(input, context) {
    const { title, kind = 'discovery', reason, body = '', facts = [], files = [], concepts = [] } = input;
    const { personal } = input;
    const draft = { kind, title, body, facts, files, concepts, ...(reason ? { reason } : {}) };
    const memory = await context.call<Memory>('remember', {
      draft,
      ...(personal ? {} : { dir: context.dir }),
    });
    return `Remembered as ${memory.id} (${kindOf(memory)}, ${memory.project}): ${plainLine(memory.title)}`;
  },
});
