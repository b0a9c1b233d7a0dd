/** Level 2: shows entries in full, with the entries right before and after. */
import { plainLine, shortId, TidemarkError, type Memory } from '../../core/index.ts';
import type { ShownMemory } from '../../daemon/index.ts';
import {
  age,
  cutToTokens,
  isSectionId,
  renderEntry as memoryText,
  shortDate,
  writtenBy,
  type OwnSection,
  type Timeline,
} from '../../recall/index.ts';
import { data, momentLine } from '../lines.ts';
import { defineTool, noteOpened, READS, type ToolContext, texts } from '../tool.ts';

const MOST_IDS = 20;
/** An entry has a few paragraphs; a longer one is cut, and level 3 has the rest. */
const ENTRY_TOKENS = 1500;

export const show = defineTool({
  name: 'show',
  title: 'Show memories',
  description:
    'Open memories by id, several at once: what, why, who said it, facts, files, age and state, and the ids that came right before and after. ' +
    'Ids come from search, timeline or the context; the beginning of an id is enough.',
  properties: {
    ids: texts(MOST_IDS, 'Ids of memories, e.g. ["7k2m9qx"]'),
  },
  required: ['ids'],
  annotations: READS,
  async run({ ids }, context) {
    const found = await Promise.all(ids.map((id) => entry(id, context)));
    const opened = found.filter((one) => typeof one !== 'string');
    const unknown = found.filter((one) => typeof one === 'string');
    if (opened.length === 0)
      throw new TidemarkError('not-found', `there is no memory ${unknown.join(', ')}`, {
        hint: 'It was forgotten or mistyped. Ids come from search.',
      });
    await noteOpened(
      opened.flatMap(({ memory }) => (memory ? [memory.id] : [])),
      context,
    );
    return [
      data([opened.map(({ text }) => text).join('\n\n')]),
      ...(unknown.length > 0 ? [`Not found: ${unknown.join(', ')}. Ids come from search.`] : []),
    ].join('\n');
  },
});

/** Returns the id itself if there is no such memory or section. */
async function entry(
  id: string,
  { call, dir, now }: ToolContext,
): Promise<{ readonly memory?: Memory; readonly text: string } | string> {
  try {
    if (isSectionId(id)) return { text: sectionText(await call('read.section', { id, dir }), now) };
    const [found] = await call('read.show', { ids: [id], dir });
    if (!found) return id;
    const { memory } = found;
    const beside = await call('read.timeline', { around: memory.id, limit: 2 });
    return { memory, text: render(found, beside, now) };
  } catch (error) {
    if (error instanceof TidemarkError && error.code === 'not-found') return id;
    throw error;
  }
}

function sectionText(section: OwnSection, now: Date): string {
  const { title, label, path, at, text } = section;
  return [
    `${plainLine(title)} (${label}, ${writtenBy(section, 'agent')}, changed ${age(at, now)})`,
    `File: ${plainLine(path)}`,
    cutToTokens(text, ENTRY_TOKENS),
  ].join('\n');
}

function render({ memory, changes, branch }: ShownMemory, { before, after }: Timeline, now: Date): string {
  const [previous] = before.slice(-1);
  const [next] = after;
  return [
    memoryText(memory, now, ENTRY_TOKENS, { changes }),
    ...(memory.branch ? [`Branch: ${memory.branch}${branch === 'unmerged' ? ', not merged here' : ''}`] : []),
    ...(memory.ended ? [`Ended on ${shortDate(memory.ended.at, now)}`] : []),
    ...(memory.supersededBy ? [`Replaced by ${shortId(memory.supersededBy)}: open that one.`] : []),
    ...(memory.supersedes?.length ? [`Replaces ${memory.supersedes.map(shortId).join(', ')}`] : []),
    ...(memory.resolvedBy ? [`Resolved by ${shortId(memory.resolvedBy)}`] : []),
    ...(previous ? [`Before: ${momentLine(previous, now)}`] : []),
    ...(next ? [`After: ${momentLine(next, now)}`] : []),
  ].join('\n');
}
