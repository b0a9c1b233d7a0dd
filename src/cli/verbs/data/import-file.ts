/** Our own export back in: the same memories under the same ids. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { TidemarkError } from '../../../core/index.ts';
import type { ExportImportReport } from '../../../exchange/import/index.ts';
import { counted } from '../../screen.ts';
import { EXIT, JSON_OPTION, type Verb } from '../../verb.ts';
import { onInterrupt, skippedLines } from './import-history.ts';

export const importFile: Verb = {
  name: 'import file',
  usage: 'import file <export.jsonl>',
  summary: 'Take an export of Tidemark in; what is here stays, what was forgotten stays away.',
  options: { ...JSON_OPTION },
  async run({ args, options, client, screen, cwd }) {
    const [named] = args;
    if (named === undefined)
      throw new TidemarkError('usage', 'which file?', { hint: 'tidemark import file <export.jsonl>' });
    const path = resolve(cwd, named);
    if (!statSync(path, { throwIfNoEntry: false })?.isFile())
      throw new TidemarkError('not-found', `there is no file ${path}`, {
        hint: 'Exports are made by: tidemark export --to <file>',
      });
    const report = await client.call<ExportImportReport>(
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
          `${counted(report.memories, 'memory', 'memories')} of ${counted(report.projects, 'project')} brought in, ${counted(report.turns, 'turn')}.`,
          ...(report.known > 0 ? [`${report.known} were here already.`] : []),
          ...(report.forgotten > 0 ? [`${report.forgotten} are forgotten and stay away.`] : []),
          ...skippedLines(skipped, report.skippedCount),
        ].join('\n'),
      );
    }
    return report.skippedCount > 0 ? EXIT.failed : EXIT.ok;
  },
};
