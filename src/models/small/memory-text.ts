/** The text of a memory as the small model reads it. Pure. */
import type { Memory } from '../../core/index.ts';

/** `decision: Use pg-boss for the job queue. Redis is one more server.` */
export function memoryText(memory: Pick<Memory, 'kind' | 'title' | 'body' | 'reason' | 'files'>): string {
  const { kind, title, body, reason, files } = memory;
  return [
    `${kind.replace('_', ' ')}: ${title}`,
    body,
    reason === undefined ? '' : `Why: ${reason}`,
    files.length > 0 ? `[${files.slice(0, 3).join(' ')}]` : '',
  ]
    .filter(Boolean)
    .join(' ');
}
