/** Git's merge driver for the journal: merges two versions of a file entry by entry. Git runs it, not the user. */
import { isUtf8 } from 'node:buffer';
import { writeFileSync } from 'node:fs';
import { JOURNAL_BYTES, readBytesSync } from '../../../files/index.ts';
import { mergeFiles } from '../../../storage/journal/index.ts';
import { EXIT, usageError, type Verb } from '../../verb.ts';

export const mergeDriver: Verb = {
  name: 'merge-driver',
  usage: 'merge-driver <base> <ours> <theirs> [<path>]',
  summary: 'Merge two versions of a journal file entry by entry; git runs this (docs/sync.md).',
  async run({ args, options, screen }) {
    const [base, ours, theirs, path = ours] = args;
    if (base === undefined || ours === undefined || theirs === undefined || path === undefined)
      throw usageError('three files are required: base, ours, theirs');
    const merged = mergeFiles({ base: read(base), ours: read(ours), theirs: read(theirs) }, path);
    if (options['json']) screen.json({ merged: merged !== undefined });
    // The file stays unchanged, so git falls back to its own merge with conflict marks.
    if (merged === undefined) return EXIT.failed;
    writeFileSync(ours, merged);
  },
};

/** Git merges other encodings itself: written back as UTF-8, only one side would change. */
function read(file: string): string {
  const bytes = readBytesSync(file, JOURNAL_BYTES);
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw usageError(`${file} is not UTF-8`);
}
