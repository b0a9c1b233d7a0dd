/** Snapshots of all that is remembered: taken by hand, listed, verified, and brought back. */
import { resolve } from 'node:path';
import type { BackupList, Snapshot } from '../../../storage/snapshots/index.ts';
import { counted, size, tilde } from '../../screen.ts';
import { JSON_OPTION, type Context, type Option, type Verb } from '../../verb.ts';

const FROM: Readonly<Record<'from', Option>> = {
  from: { type: 'string', value: 'folder', doc: 'Snapshots in this folder instead of the usual one.' },
};

export const backup: Verb = {
  name: 'backup',
  usage: 'backup [--to <folder>]',
  summary: 'Take a snapshot of journal, ledger and turns, verified; the daemon takes one a day by itself.',
  options: {
    to: { type: 'string', value: 'folder', doc: 'Into this folder instead of the usual one.' },
    ...JSON_OPTION,
  },
  async run({ options, client, screen, cwd }) {
    const taken = await client.call<Snapshot & { folder: string; dropped: number }>(
      'backup',
      typeof options['to'] === 'string' ? { to: resolve(cwd, options['to']) } : {},
      (facts) => {
        const { files, bytes } = facts as { files: number; bytes: number };
        screen.progress(`${counted(files, 'file')}, ${size(bytes)}`);
      },
    );
    screen.done();
    if (options['json']) return screen.json(taken);
    screen.print(`Snapshot ${taken.name}: ${counted(taken.files, 'file')}, ${size(taken.bytes)}, verified.`);
    screen.print(`It lies in ${tilde(taken.folder)}; bring it back with: tidemark restore ${taken.name}`);
  },
};

export const backupList: Verb = {
  name: 'backup list',
  usage: 'backup list [--from <folder>]',
  summary: 'List the snapshots, newest first.',
  options: { ...FROM, ...JSON_OPTION },
  async run(context) {
    const { options, client, screen } = context;
    const list = await client.call<BackupList>('backup.list', where(context));
    if (options['json']) return screen.json(list);
    if (list.snapshots.length === 0)
      screen.say(`No snapshots in ${tilde(list.folder)} yet. Take one with: tidemark backup`);
    for (const { name, files, bytes } of list.snapshots)
      screen.print(`${name}  ${counted(files, 'file').padStart(12)}  ${size(bytes).padStart(9)}`);
  },
};

export const backupVerify: Verb = {
  name: 'backup verify',
  usage: 'backup verify [--from <folder>]',
  summary: 'Read every piece of every snapshot, and say which could not be restored.',
  options: { ...FROM, ...JSON_OPTION },
  async run(context) {
    const { options, client, screen } = context;
    type Checked = readonly { readonly name: string; readonly problem?: string }[];
    const checked = await client.call<Checked>('backup.verify', where(context));
    const isWell = checked.every(({ problem }) => problem === undefined);
    if (options['json']) screen.json(checked);
    else for (const { name, problem } of checked) screen.print(`${name}  ${problem ?? 'whole'}`);
    return isWell ? 0 : 1;
  },
};

export const restore: Verb = {
  name: 'restore',
  usage: 'restore [<snapshot>] [--from <folder>] [--yes]',
  summary: 'Bring a snapshot back, the latest if none is named; what was forgotten since stays away.',
  options: {
    ...FROM,
    yes: { type: 'boolean', short: 'y', doc: 'Replace what is here; a snapshot of it is taken first.' },
    ...JSON_OPTION,
  },
  examples: ['tidemark restore', 'tidemark restore 20261115 --from /mnt/disk/tidemark --yes'],
  async run(context) {
    const { args, options, client, screen } = context;
    screen.progress('restoring and building the index…');
    const restored = await client.call<Snapshot & { before?: string }>('restore', {
      name: args[0] ?? 'latest',
      yes: Boolean(options['yes']),
      ...where(context),
    });
    screen.done();
    if (options['json']) return screen.json(restored);
    screen.print(`Restored the snapshot of ${restored.at} (${counted(restored.files, 'file')}).`);
    if (restored.before)
      screen.print(
        `What was here before is in snapshot ${restored.before}: tidemark restore ${restored.before} --yes`,
      );
  },
};

function where({ options, cwd }: Context): { from?: string } {
  return typeof options['from'] === 'string' ? { from: resolve(cwd, options['from']) } : {};
}
