/** Git's merge driver for the journal: merges two versions of a file entry by entry. Run by git, not by people. */
import { isUtf8 } from 'node:buffer';
import { writeFileSync } from 'node:fs';
import { TidemarkError } from '../../../core/index.ts';
import { JOURNAL_BYTES, readBytesSync } from '../../../files/index.ts';
import { mergeFiles } from '../../../storage/journal/index.ts';
import { EXIT, JSON_OPTION, type Verb } from '../../verb.ts';

export const mergeDriver: Verb = {
  name: 'merge-driver',
  usage: 'merge-driver <base> <ours> <theirs> [<path>]',
  summary: 'Merge two versions of a journal file entry by entry, into the second; for git, see docs/sync.md.',
  options: { ...JSON_OPTION },
  async run({ args, options, screen }) {
    const [base, ours, theirs, path = ours] = args;
    if (base === undefined || ours === undefined || theirs === undefined || path === undefined)
      throw new TidemarkError('usage', 'three files are needed: base, ours, theirs');
    const merged = mergeFiles({ base: read(base), ours: read(ours), theirs: read(theirs) }, path);
    if (options['json']) screen.json({ merged: merged !== undefined });
    // Left as it is, git goes on with its own merge, marks and all.
    if (merged === undefined) return EXIT.failed;
    writeFileSync(ours, merged);
  },
};

/** Another encoding is git's to merge: written back as UTF-8 it would change on one side only. */
function read(file: string): string {
  const bytes = readBytesSync(file, JOURNAL_BYTES);
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new TidemarkError('usage', `${file} is not UTF-8`);
}
