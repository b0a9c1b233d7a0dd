/** Decisions, patterns and issues out of a Markdown file. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { TidemarkError, type Memory } from '../../../core/index.ts';
import { factsIn } from '../../../exchange/import/index.ts';
import { JOURNAL_BYTES, readTextSync } from '../../../files/index.ts';
import { JSON_OPTION, type Verb } from '../../verb.ts';

export const extractFacts: Verb = {
  name: 'extract-facts',
  usage: 'extract-facts <file.md>',
  summary: 'Remember the decisions, patterns and issues that stand in a Markdown file.',
  options: { ...JSON_OPTION },
  async run({ args, options, client, cwd, screen }) {
    const [file] = args;
    if (!file) throw new TidemarkError('usage', 'which file?', { hint: 'tidemark extract-facts <file.md>' });
    const path = resolve(cwd, file);
    const { drafts, counts, at } = factsIn(readText(path));
    const { added, known } = await client.call<{ added: readonly Memory[]; known: number }>('extract', {
      drafts,
      dir: cwd,
      at: at ?? statSync(path).mtime.toISOString(),
    });
    if (options['json']) return screen.json({ found: counts, added: added.map(({ id }) => id), known });
    screen.print(
      `Found ${counts.decision} decisions, ${counts.pattern} patterns and ${counts.issue} issues: ${added.length} new, ${known} known already.`,
    );
  },
};

function readText(path: string): string {
  try {
    return readTextSync(path, JOURNAL_BYTES);
  } catch (cause) {
    throw new TidemarkError('not-found', `cannot read ${path}`, {
      cause,
      hint: 'It must be a Markdown file on this machine that you may read.',
    });
  }
}
