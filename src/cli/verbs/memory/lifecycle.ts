/** Changes the state of memories: resolve, reopen, supersede, merge, forget, undo. */
import { isLive, type Memory, shortId } from '../../../core/index.ts';
import type { Undone } from '../../../memory/index.ts';
import { confirm } from '../../ask.ts';
import { EXIT, flag, optionText, usageError, value, type Context, type Verb } from '../../verb.ts';
import { idsFrom, memoryLine, printMemories } from './_memory.ts';

/** More than anyone forgets in a day. */
const ALL = 1_000_000;

export const resolve: Verb = {
  name: 'resolve',
  usage: 'resolve <id…>',
  summary: 'Mark issues as resolved; they are no longer injected.',
  run: (context) => settle(context, true),
};

export const reopen: Verb = {
  name: 'reopen',
  usage: 'reopen <id…>',
  summary: 'Reopen issues, or make superseded memories current again.',
  run: (context) => settle(context, false),
};

async function settle(context: Context, done: boolean): Promise<void> {
  const { client } = context;
  const ids = idsFrom(context.args, done ? 'resolve <id>' : 'reopen <id>');
  printMemories(context, await client.call('settle', { ids, done }));
}

export const supersede: Verb = {
  name: 'supersede',
  usage: 'supersede <old> <new>',
  summary: 'Mark a memory as replaced by another; it is no longer injected.',
  async run(context) {
    const { client } = context;
    const [old = '', by = ''] = idsFrom(context.args, 'supersede <old> <new>', 2);
    printMemories(context, await client.call('supersede', { old, by }));
  },
};

export const merge: Verb = {
  name: 'merge',
  usage: 'merge <id> <id…> | merge --undo <id…>',
  summary: 'Merge memories that say the same into the first one.',
  options: {
    undo: flag('Undo a merge: separate the memories that you merged into this one.'),
  },
  async run(context) {
    const { args, options, client, screen } = context;
    if (options['undo']) {
      const ids = idsFrom(args, 'merge --undo <id>');
      return printMemories(context, await client.call('unmerge', { ids }));
    }
    const ids = idsFrom(args, 'merge <id> <id>', 2);
    const memory = await client.call('merge', { ids });
    printMemories(context, memory);
    if (!options['json']) screen.say(`Undo: tidemark merge --undo ${shortId(memory.id)}`);
  },
};

export const forget: Verb = {
  name: 'forget',
  usage: 'forget <id…> [--now | --undo] | forget --list',
  summary: 'Forget memories: they are hidden now, erased after 24 hours, and never added again.',
  options: {
    now: flag('Erase now; this cannot be undone.'),
    undo: flag('Restore memories forgotten less than 24 hours ago.'),
    list: flag('List the memories that can be restored, with the time left.'),
  },
  examples: ['tidemark forget 7k2m9qx', 'tidemark forget --list', 'tidemark forget --undo 7k2m9qx'],
  async run(context) {
    const { args, options, client, screen } = context;
    if (options['list']) return listTrash(context);
    const [now, undo] = [Boolean(options['now']), Boolean(options['undo'])];
    if (undo && args.length === 0)
      throw usageError('no id given', 'List what can be restored with: tidemark forget --list');
    const ids = idsFrom(args, 'forget <id>');
    if (now && undo) throw usageError('use only one of --now and --undo', 'See: tidemark forget --help');
    const replaced = undo ? [] : await replacedBy(context, ids);
    const done = await client.call('forget', { ids, now, undo });
    if (options['json']) return screen.json(done);
    if (undo) return screen.print(`Restored: ${done.map(shortId).join(', ')}.`);
    screen.print(`Forgot ${done.map(shortId).join(', ')}${now ? ' permanently' : ''}.`);
    if (!now)
      screen.say(`The text and its turns are erased in 24 hours. Undo until then: ${restoreCommand(done)}`);
    screen.say("Tidemark cannot erase the agent's own transcripts or git history.");
    await sayReplaced(
      context,
      replaced.filter((id) => !done.includes(id)),
    );
  },
};

/** The ids of the memories that these replaced or resolved. */
async function replacedBy({ client, cwd }: Context, ids: readonly string[]): Promise<readonly string[]> {
  const shown = await client.call('read.show', { ids, dir: cwd });
  return [...new Set(shown.flatMap(({ memory }) => memory.supersedes ?? []))];
}

/** Says which of the replaced memories are in force again, and how to make the others current. */
async function sayReplaced(context: Context, ids: readonly string[]): Promise<void> {
  const { client, cwd, screen } = context;
  if (ids.length === 0) return;
  const shown = (await client.call('read.show', { ids, dir: cwd })).map(({ memory }) => memory);
  const [over, live] = [shown.filter((one) => !isLive(one)), shown.filter(isLive)];
  const list = (memories: readonly Memory[]): void => {
    for (const memory of memories) screen.say(`  ${memoryLine(memory, screen)}`);
  };
  if (live.length > 0) screen.say('In force again:');
  list(live);
  if (over.length === 0) return;
  screen.say('It had replaced these memories, which are still marked as superseded:');
  list(over);
  screen.say(`Make them current again with: tidemark reopen ${over.map(({ id }) => shortId(id)).join(' ')}`);
}

async function listTrash({ args, options, client, screen }: Context): Promise<void> {
  if (args.length > 0 || options['now'] || options['undo'])
    throw usageError('--list takes no ids and no other option', 'tidemark forget --list');
  const { memories } = await client.call('read.trash', { limit: ALL });
  if (options['json']) return screen.json(memories);
  if (memories.length === 0)
    return screen.say('Nothing can be restored: no memory was forgotten in 24 hours.');
  for (const { memory, erasedAt } of memories) {
    const left = Math.max(0, Date.parse(erasedAt) - Date.now());
    screen.print(memoryLine(memory, screen, `erased in ${duration(left)}`));
  }
  screen.say('Restore one with: tidemark forget --undo <id>');
}

/** `23 h`, `40 min` */
function duration(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  return minutes > 90 ? `${Math.round(minutes / 60)} h` : `${minutes} min`;
}

export const undo: Verb = {
  name: 'undo',
  usage: 'undo [--session <id>] [--yes]',
  summary:
    'Undo the last step. If you forgot a memory since the last turn, it is restored; if you added one, it is forgotten. Else what the last turn stored is forgotten, and the memories it ended are in force again.',
  options: {
    session: value(
      'id',
      'Undo the last turn of this session; the start of its id is enough (default: the running session, or the last one here).',
    ),
    yes: flag('Do not ask.'),
  },
  examples: ['tidemark undo', 'tidemark undo --yes', 'tidemark undo --session 5f3c'],
  async run(context) {
    const { options, client, cwd, env, screen } = context;
    // Inside Claude Code the default is the running session.
    const session = optionText(options, 'session') ?? env['CLAUDE_CODE_SESSION_ID'];
    const asked = { dir: cwd, ...(session ? { session } : {}) };
    if (process.stdin.isTTY && !options['yes']) {
      const planned = await client.call('undo', { ...asked, preview: true });
      if (planned.step !== 'forget' && !(await confirmUndo(context, planned))) {
        screen.say('Nothing was changed.');
        return EXIT.failed;
      }
    }
    const undone = await client.call('undo', asked);
    if (options['json']) return screen.json(undone);
    const { step, forgotten, restored } = undone;
    if (forgotten.length > 0) screen.print('Forgotten:');
    printMemories(context, forgotten);
    if (restored.length > 0)
      screen.print(step === 'forget' ? 'Restored what you forgot last:' : 'In force again:');
    printMemories(context, restored);
    if (forgotten.length > 0)
      screen.say(`Erased in 24 hours. Restore until then: ${restoreCommand(forgotten.map(({ id }) => id))}`);
  },
};

/** Lists what will be forgotten and asks. The list is part of the question, also with `--json`. */
function confirmUndo(context: Context, { step, forgotten, restored }: Undone): Promise<boolean> {
  const { screen } = context;
  const list = (memories: readonly Memory[]): void => {
    for (const memory of memories) screen.say(`  ${memoryLine(memory, screen)}`);
  };
  const by = step === 'turn' ? 'The last turn that stored something' : 'You';
  if (forgotten.length > 0) screen.say(`${by} added these memories. They will be forgotten:`);
  list(forgotten);
  if (restored.length > 0) screen.say(`${by} ended these memories. They will be in force again:`);
  list(restored);
  return confirm(context, 'Undo this?');
}

/** `tidemark forget --undo 7k2m9qx` */
function restoreCommand(ids: readonly string[]): string {
  return `tidemark forget --undo ${ids.map(shortId).join(' ')}`;
}
