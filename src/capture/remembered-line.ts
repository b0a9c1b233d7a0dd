/** The line that tells the user what a turn stored. Only memories in force count. */
import { undoCommand } from '../agents/index.ts';
import { isLive, plainLine, shortened, type Agent } from '../core/index.ts';
import type { MemoryIndex } from '../database/index.ts';

const MAX_TITLE = 100;

/** `Remembered: Use pg-boss for the job queue +2 more · undo: /tidemark:undo`; empty if none is in force any more. */
export function rememberedLine(index: MemoryIndex, ids: readonly string[], agent: Agent): string {
  const found = ids.flatMap((id) => index.memory(id) ?? []).filter(isLive);
  const titles = [...new Map(found.map((memory) => [memory.id, plainLine(memory.title)])).values()];
  const [first, ...more] = titles;
  if (first === undefined) return '';
  return `Remembered: ${shortened(first, MAX_TITLE)}${more.length > 0 ? ` +${more.length} more` : ''} · undo: ${undoCommand(agent)}`;
}
