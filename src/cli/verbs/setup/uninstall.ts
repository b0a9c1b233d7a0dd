/**
 * Takes Tidemark out of Claude Code: the settings as they were before, no process left, the journal kept. With --purge
 * everything it ever wrote goes, and nothing else: only names of its own are removed from the data folder.
 */
import { existsSync } from 'node:fs';
import {
  claudeConfigDir,
  findClaudeCode,
  type ClaudeCode,
  type Outcome as SettingsOutcome,
} from '../../../agents/index.ts';
import { TidemarkError } from '../../../core/index.ts';
import type { DaemonStatus } from '../../../daemon/index.ts';
import {
  purgeData,
  removalSteps,
  removeCommand,
  removeProgram,
  uninstallPlugin,
} from '../../../install/index.ts';
import { confirm } from '../../confirm.ts';
import { tilde } from '../../screen.ts';
import { JSON_OPTION, type Context, type Verb } from '../../verb.ts';
import { stopAndWait } from '../process/stop.ts';
import { openGuide, type Guide } from './_guide.ts';

export const uninstall: Verb = {
  name: 'uninstall',
  usage: 'uninstall [--purge [--yes]] [--dry-run]',
  summary: 'Take the plugin out of Claude Code and stop the daemon; the journal stays.',
  options: {
    purge: { type: 'boolean', doc: 'Delete everything that was remembered too. Asks first.' },
    yes: { type: 'boolean', short: 'y', doc: 'purge: do not ask.' },
    'dry-run': { type: 'boolean', doc: 'Say what would be done, and do nothing.' },
    ...JSON_OPTION,
  },
  async run(context) {
    const { options, places, env, screen, client } = context;
    const guide = openGuide(context, options['json'] === true);
    const claude = await clientIfAny(env);
    if (options['dry-run']) return dryRun(context, claude);
    if (options['purge'] && !(await confirm(context, `Delete everything in ${places.home} for good?`)))
      throw new TidemarkError('cancelled', 'nothing was changed', {
        hint: 'Without --purge the plugin goes and all memories stay: tidemark uninstall',
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
      claude ? 'out of Claude Code' : 'out of its folders; Claude Code itself is not here',
    );
    tellSettings(guide, settings);
    const stopped = await stopAndWait(client, places);
    guide.done('Daemon', stopped ? 'stopped' : 'was not running');
    const command = removeCommand(env);
    if (command) guide.done('Command line', `${tilde(command)} removed`);
    removeProgram(places);
    const left = options['purge'] ? purgeData(places) : undefined;
    if (open > 0)
      guide.note('Open sessions', `${open}: their hooks stay silent; restart them when it suits you`);
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
    else if (left.length === 0) screen.print('Uninstalled. Nothing of it is left.');
    else screen.print(`Uninstalled. Not ours, and left in ${tilde(places.home)}: ${left.join(', ')}.`);
  },
};

/** Uninstall works without the client too: somebody may have removed that first. */
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
  screen.print('put settings.json back as it was before, stop the daemon');
  if (home) screen.print(options['purge'] ? `delete ${home}` : `keep the journal in ${places.journal}`);
}

async function openSessions({ client }: Context): Promise<number> {
  if (!(await client.isUp())) return 0;
  const { sessions } = await client.call<DaemonStatus>('status');
  return sessions.filter(({ event }) => event !== 'SessionEnd').length;
}

function tellSettings(guide: Guide, outcome: SettingsOutcome): void {
  switch (outcome.kind) {
    case 'restored':
      return guide.done('settings.json', 'byte for byte as before the install');
    case 'keys-removed':
      return guide.done('settings.json', 'our entries taken out; what else changed since stays as it is');
    case 'left':
      if (outcome.reason === 'changed-meanwhile')
        return guide.note('settings.json', 'somebody else wrote it just now; left as the client made it');
      if (outcome.reason === 'not-json')
        return guide.failed('settings.json', 'is no valid JSON; take "tidemark" out of it by hand');
  }
}
