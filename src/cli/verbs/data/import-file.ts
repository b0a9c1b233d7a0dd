/** Imports our own export: the same memories with the same ids. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { counted } from '../../screen.ts';
import { EXIT, notFound, usageError, type Verb } from '../../verb.ts';
import { onInterrupt, skippedLines } from './import-history.ts';

export const importFile: Verb = {
  name: 'import file',
  usage: 'import file <export.jsonl>',
  summary: 'Import a Tidemark export; existing memories stay, forgotten ones stay forgotten.',
  async run({ args, options, client, screen, cwd }) {
    const [named] = args;
    if (named === undefined) throw usageError('no file given', 'tidemark import file <export.jsonl>');
    const path = resolve(cwd, named);
    if (!statSync(path, { throwIfNoEntry: false })?.isFile())
      throw notFound(`there is no file ${path}`, 'Create an export with: tidemark export --to <file>');
    const report = await client.call(
      'import.export',
      { path },
      (facts) => {
        const { lines, memories } = facts as { lines: number; memories: number };
        screen.progress(`${lines} lines, ${memories} memories`);
      },
      onInterrupt(),
    );
    screen.done();
    if (options['json']) screen.json(report);
    else {
      const skipped = report.skipped.map(({ line, reason }) => ({ path, line, reason }));
      screen.print(
        [
          `${counted(report.memories, 'memory')} of ${counted(report.projects, 'project')} imported, ${counted(report.turns, 'turn')}.`,
          ...(report.known > 0 ? [`${report.known} existed already.`] : []),
          ...(report.forgotten > 0 ? [`${report.forgotten} were forgotten and are not imported.`] : []),
          ...skippedLines(skipped, report.skippedCount),
        ].join('\n'),
      );
    }
    return report.skippedCount > 0 ? EXIT.failed : EXIT.ok;
  },
};
