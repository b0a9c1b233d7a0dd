/** The journal as one text, for tests that look for a memory in it. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Places } from '../../src/core/index.ts';

/** Empty before the first memory. */
export function journalText({ journal }: Pick<Places, 'journal'>): string {
  if (!existsSync(journal)) return '';
  return readdirSync(journal, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => readFileSync(join(journal, file), 'utf8'))
    .join('\n');
}
