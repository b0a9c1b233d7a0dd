/**
 * Removes Tidemark from Claude Code: restores the settings, stops the daemon, keeps the journal. With --purge it also
 * deletes its own files in the data folder, and no others.
 */
import { existsSync } from 'node:fs';
import {
  claudeConfigDir,
  findClaudeCode,
  type ClaudeCode,
  type Outcome as SettingsOutcome,
} from '../../../agents/index.ts';
import { TidemarkError } from '../../../core/index.ts';
import {
  purgeData,
  removalSteps,
  removeCommand,
  removeProgram,
  uninstallPlugin,
} from '../../../install/index.ts';
import { confirm } from '../../ask.ts';
import { tilde } from '../../screen.ts';
import { flag, type Context, type Verb } from '../../verb.ts';
import { stopAndWait } from '../process/start.ts';
import { openGuide, type Guide } from './_guide.ts';

export const uninstall: Verb = {
  name: 'uninstall',
  usage: 'uninstall [--purge [--yes]] [--dry-run]',
  summary: 'Remove the plugin from Claude Code and stop the daemon; the journal stays.',
  options: {
    purge: flag('Also delete all memories. Asks first.'),
    yes: flag('purge: do not ask.', 'y'),
    'dry-run': flag('Show what would be done, and do nothing.'),
  },
  async run(context) {
    const { options, places, env, screen, client } = context;
    const guide = openGuide(context, options['json'] === true);
    const claude = await clientIfAny(env);
    if (options['dry-run']) return dryRun(context, claude);
    if (options['purge'] && !(await confirm(context, `Delete everything in ${places.home} permanently?`)))
      throw new TidemarkError('cancelled', 'nothing was changed', {
        hint: 'To remove the plugin and keep all memories: tidemark uninstall',
      });

    guide.heading('Tidemark', 'uninstall');
    const open = await openSessions(context);
    const { settings, removed, failed } = await uninstallPlugin(claude, {
      places,
      env,
      onStep: (step) => guide.working(step),
    });
    screen.done();
    for (const what of failed) guide.failed('Claude Code', what);
    guide.done(
      'Plugin',
      claude ? 'removed from Claude Code' : 'removed from its folders; Claude Code is not installed',
    );
    showSettings(guide, settings);
    const stopped = await stopAndWait(client, places);
    guide.done('Daemon', stopped ? 'stopped' : 'was not running');
    const command = removeCommand(env);
    if (command) guide.done('Command line', `${tilde(command)} removed`);
    removeProgram(places);
    const left = options['purge'] ? purgeData(places) : undefined;
    if (open > 0)
      guide.note('Open sessions', `${open}: their hooks do nothing now; restart them when convenient`);
    if (options['json'])
      return screen.json({
        settings: settings.kind,
        removed: [...removed, ...(command ? [command] : [])],
        failed,
        stopped,
        ...(left ? { purged: true, left } : { journal: places.journal }),
      });
    guide.line('');
    if (!left) screen.print(`Uninstalled. Your journal is still in ${tilde(places.journal)}.`);
    else if (left.length === 0) screen.print('Uninstalled. Nothing is left.');
    else
      screen.print(`Uninstalled. Files that are not ours stay in ${tilde(places.home)}: ${left.join(', ')}.`);
  },
};

/** Returns undefined without a client: the user may have removed it first. */
async function clientIfAny(env: NodeJS.ProcessEnv): Promise<ClaudeCode | undefined> {
  try {
    return await findClaudeCode(env, { anyVersion: true });
  } catch (error) {
    if (error instanceof TidemarkError && error.code === 'no-client') return undefined;
    throw error;
  }
}

function dryRun({ options, places, env, screen }: Context, claude: ClaudeCode | undefined): void {
  const commands = claude
    ? removalSteps(claudeConfigDir(env)).map((args) => `claude plugin ${args.join(' ')}`)
    : [];
  const home = existsSync(places.home) ? places.home : undefined;
  if (options['json']) return screen.json({ commands, home, purge: options['purge'] === true });
  for (const command of commands) screen.print(command);
  screen.print('restore settings.json, stop the daemon');
  if (home) screen.print(options['purge'] ? `delete ${home}` : `keep the journal in ${places.journal}`);
}

async function openSessions({ client }: Context): Promise<number> {
  if (!(await client.isUp())) return 0;
  const { sessions } = await client.call('status', {});
  return sessions.filter(({ event }) => event !== 'SessionEnd').length;
}

function showSettings(guide: Guide, outcome: SettingsOutcome): void {
  switch (outcome.kind) {
    case 'restored':
      return guide.done('settings.json', 'restored byte for byte');
    case 'keys-removed':
      return guide.done('settings.json', 'our entries removed; your later changes kept');
    case 'left':
      if (outcome.reason === 'changed-meanwhile')
        return guide.note('settings.json', 'another program just changed it; left as the client wrote it');
      if (outcome.reason === 'not-json')
        return guide.failed('settings.json', 'is not valid JSON; remove "tidemark" by hand');
  }
}
