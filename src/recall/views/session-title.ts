/** The title of a session in lists: its own, else the request in its summary, else its first prompt. Only reads. */
import { shortened, type Session } from '../../core/index.ts';
import type { MemoryIndex } from '../../database/index.ts';

const LONGEST = 100;

/** Returns undefined for a session without a prompt: then only its time tells it from others. */
export function titleOfSession(
  index: MemoryIndex,
  { id, title, summary }: Pick<Session, 'id' | 'title' | 'summary'>,
): string | undefined {
  if (title) return title;
  const text = (summary?.request || index.firstPrompt(id))?.replace(/\s+/g, ' ').trim();
  return text ? shortened(text, LONGEST) : undefined;
}
