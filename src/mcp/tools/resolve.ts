/** Marks remembered entries as over: done, no longer true, or replaced by a newer one. */
import { isMeantBy, plainLine, shortId } from '../../core/index.ts';
import { kindOf } from '../lines.ts';
import { refusal } from '../refusal.ts';
import { defineTool, orNotFound, texts } from '../tool.ts';

export const resolve = defineTool({
  name: 'resolve',
  title: 'Resolve',
  description:
    'Mark remembered entries as over: an issue that is fixed and checked, a decision or rule that is no longer true. With ' +
    'replaced_by, they are replaced by that newer entry; remember with replaces does both in one call. Nothing is deleted.',
  properties: {
    ids: texts(20, 'Ids of the entries that are over'),
    quote: {
      type: 'string',
      maxLength: 500,
      description:
        'The exact words that say so, of the user or of the output; needed for rules and entries of the user',
    },
    replaced_by: {
      type: 'string',
      maxLength: 200,
      description: 'Id of the newer entry that replaces them',
    },
  },
  required: ['ids'],
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run({ ids, quote = '', replaced_by: by }, { call, dir, session, toolUse }) {
    const outcome = await orNotFound(
      call('note', { quote, ends: ids, dir, session, call: toolUse, ...(by === undefined ? {} : { by }) }),
      (message) => message,
    );
    switch (outcome.kind) {
      case 'refused':
        throw refusal(outcome.reason);
      case 'pending':
        return `${ids.join(', ')}: marked as over with this turn.`;
      case 'stored': {
        const lines = outcome.ended.map(
          (one) =>
            `${shortId(one.id)}, ${kindOf(one)}: ${plainLine(one.title)}${by === undefined ? '' : `; replaced by ${shortId(by)}`}`,
        );
        const kept = ids.filter((id) => !outcome.ended.some((one) => isMeantBy(one.id, id)));
        return [
          ...lines,
          ...kept.map(
            (id) =>
              `${id}: unchanged: it was over already, is newer than this turn, or belongs to another member`,
          ),
        ].join('\n');
      }
    }
  },
});
