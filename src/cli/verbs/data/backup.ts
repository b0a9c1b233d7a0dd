/** Takes, lists, verifies and restores snapshots of all stores. */
import { given, plainLine, shortId } from '../../../core/index.ts';
import type { PreviewedMemory } from '../../../daemon/index.ts';
import { counted, size, tilde } from '../../screen.ts';
import { flag, optionText, pathOf, value, type Context, type Option, type Verb } from '../../verb.ts';

const FROM: Readonly<Record<'from', Option>> = {
  from: value('folder', 'Use the snapshots in this folder instead of the default one.'),
};

export const backup: Verb = {
  name: 'backup',
  usage: 'backup [--to <folder>]',
  summary: 'Back up all memories and conversations as a verified snapshot; the daemon does this every day.',
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
  usage: 'restore [<snapshot>] [--from <folder>] [--dry-run | --yes]',
  summary: 'Restore a snapshot (default: the latest); memories forgotten since then stay forgotten.',
  options: {
    ...FROM,
    'dry-run': flag('Show what would come back, be removed and change, and restore nothing.'),
    yes: flag('Replace the current data; a snapshot of it is taken first.', 'y'),
  },
  examples: [
    'tidemark restore --dry-run',
    'tidemark restore',
    'tidemark restore 20261115 --from /mnt/disk/tidemark --yes',
  ],
  async run(context) {
    const { args, options, client, screen } = context;
    if (options['dry-run']) return preview(context);
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

/** Enough to recognise what would be lost; `--json` lists all. */
const MOST_LISTED = 20;

async function preview(context: Context): Promise<void> {
  const { args, options, client, screen } = context;
  screen.progress('comparing…');
  const found = await client.call('restore.preview', { name: args[0] ?? 'latest', ...where(context) });
  screen.done();
  if (options['json']) return screen.json(found);
  const { name, at, files, bytes, back, lost, changed, same, forgotten, turns } = found;
  screen.print(`Snapshot ${name} of ${at}: ${counted(files, 'file')}, ${size(bytes)}, verified.`);
  const list = (heading: string, memories: readonly PreviewedMemory[]): void => {
    if (memories.length === 0) return;
    screen.print(`${heading}: ${counted(memories.length, 'memory')}`);
    for (const { id, kind, title } of memories.slice(0, MOST_LISTED))
      screen.print(`  ${screen.paint.cyan(shortId(id))}  ${screen.paint.yellow(kind)} · ${plainLine(title)}`);
    if (memories.length > MOST_LISTED)
      screen.print(`  and ${memories.length - MOST_LISTED} more (--json lists all)`);
  };
  list('Would come back', back);
  list('Would be removed', lost);
  list('Would get the older text or state', changed);
  if (back.length + lost.length + changed.length === 0) screen.print('All memories are the same.');
  else screen.print(`Would stay the same: ${counted(same, 'memory')}`);
  if (turns.back + turns.lost > 0)
    screen.print(
      `Conversations: ${counted(turns.back, 'turn')} would come back, ${counted(turns.lost, 'turn')} would be removed`,
    );
  if (forgotten > 0) screen.print(`Forgotten since then, and not restored: ${counted(forgotten, 'memory')}`);
  const from = optionText(options, 'from');
  screen.say(
    `Nothing was changed. Restore it: tidemark restore ${name}${from ? ` --from ${from}` : ''} --yes`,
  );
}

function where(context: Context): { from?: string } {
  return given({ from: pathOf(context, 'from') });
}
