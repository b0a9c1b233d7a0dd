/** Takes, lists, verifies and restores snapshots of all stores. */
import { given } from '../../../core/index.ts';
import { counted, size, tilde } from '../../screen.ts';
import { flag, pathOf, value, type Context, type Option, type Verb } from '../../verb.ts';

const FROM: Readonly<Record<'from', Option>> = {
  from: value('folder', 'Use the snapshots in this folder instead of the default one.'),
};

export const backup: Verb = {
  name: 'backup',
  usage: 'backup [--to <folder>]',
  summary: 'Take and verify a snapshot of journal, ledger and turns; the daemon takes one every day.',
  options: {
    to: value('folder', 'Store it in this folder instead of the default one.'),
  },
  async run({ options, client, screen, cwd }) {
    const to = pathOf({ options, cwd }, 'to');
    const taken = await client.call('backup', given({ to }), (facts) => {
      const { files, bytes } = facts as { files: number; bytes: number };
      screen.progress(`${counted(files, 'file')}, ${size(bytes)}`);
    });
    screen.done();
    if (options['json']) return screen.json(taken);
    screen.print(`Snapshot ${taken.name}: ${counted(taken.files, 'file')}, ${size(taken.bytes)}, verified.`);
    const from = to === undefined ? '' : ` --from ${tilde(taken.folder)}`;
    screen.print(`It is in ${tilde(taken.folder)}; restore it with: tidemark restore ${taken.name}${from}`);
  },
};

export const backupList: Verb = {
  name: 'backup list',
  usage: 'backup list [--from <folder>]',
  summary: 'List the snapshots, newest first.',
  options: { ...FROM },
  async run(context) {
    const { options, client, screen } = context;
    const list = await client.call('backup.list', where(context));
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
  summary: 'Read every snapshot completely and list those that cannot be restored.',
  options: { ...FROM },
  async run(context) {
    const { options, client, screen } = context;
    const checked = await client.call('backup.verify', where(context));
    const areIntact = checked.every(({ problem }) => problem === undefined);
    if (options['json']) screen.json(checked);
    else for (const { name, problem } of checked) screen.print(`${name}  ${problem ?? 'intact'}`);
    return areIntact ? 0 : 1;
  },
};

export const restore: Verb = {
  name: 'restore',
  usage: 'restore [<snapshot>] [--from <folder>] [--yes]',
  summary: 'Restore a snapshot, by default the latest; memories forgotten since then stay forgotten.',
  options: {
    ...FROM,
    yes: flag('Replace the current data; a snapshot of it is taken first.', 'y'),
  },
  examples: ['tidemark restore', 'tidemark restore 20261115 --from /mnt/disk/tidemark --yes'],
  async run(context) {
    const { args, options, client, screen } = context;
    screen.progress('restoring and rebuilding the index…');
    const restored = await client.call('restore', {
      name: args[0] ?? 'latest',
      yes: Boolean(options['yes']),
      ...where(context),
    });
    screen.done();
    if (options['json']) return screen.json(restored);
    screen.print(`Restored the snapshot of ${restored.at} (${counted(restored.files, 'file')}).`);
    if (restored.before)
      screen.print(
        `The previous data is in snapshot ${restored.before}: tidemark restore ${restored.before} --yes`,
      );
  },
};

function where(context: Context): { from?: string } {
  return given({ from: pathOf(context, 'from') });
}
