/** Trials of the team server on the command line: installs the packages, and lists the first team and the next steps. */
import { spawn } from 'node:child_process';
import { plainLine, TidemarkError } from '../../../core/index.ts';
import type { Initialised, NewTeam } from '../../../server/index.ts';
import { yesOrNo } from '../../ask.ts';
import { tilde } from '../../screen.ts';
import type { Context } from '../../verb.ts';
import { missingPackages, trialOf } from './_server-program.ts';

/** Returns the names of the first team and its owner. */
export function firstTeam({ options, env }: Pick<Context, 'options' | 'env'>): {
  readonly team: string;
  readonly owner: string;
} {
  return {
    team: orDefault(options['team'], 'team'),
    owner: orDefault(options['owner'], env['USER'] || 'owner'),
  };
}

export function orDefault(given: string | boolean | undefined, otherwise: string): string {
  return typeof given === 'string' && given.trim() !== '' ? given.trim() : otherwise;
}

/**
 * Installs the embedded database with npm into the data folder, after a question or with `--yes`. A clone has it already.
 * Without a terminal the start fails with the command.
 */
export async function installTrial(context: Context): Promise<void> {
  const { options, screen, places } = context;
  const missing = missingPackages(trialOf(context));
  if (missing.length === 0) return;
  const question = `A trial needs an embedded PostgreSQL (PGlite, about 30 MB on disk). Install it with npm into ${tilde(places.home)}? `;
  if (!options['yes'] && !(process.stdin.isTTY && (await yesOrNo(question, true)))) return;
  screen.say(`npm install --prefix ${tilde(places.home)} ${missing.join(' ')}`);
  const args = [
    'install',
    '--prefix',
    places.home,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    ...missing,
  ];
  const isWindows = process.platform === 'win32';
  const npm = spawn(isWindows ? 'npm.cmd' : 'npm', args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: isWindows,
  });
  const code = await new Promise((resolve) => npm.once('error', resolve).once('close', resolve));
  if (code === 0) return;
  throw new TidemarkError('trial-not-installed', 'npm could not install the embedded database', {
    hint: 'Check that npm is installed and reaches its registry, or use PostgreSQL: docs/server.md',
  });
}

/** The lines after a start: the address, the key on the first start, and how to log in. */
export function trialLines(context: Context, url: string, { made, teams }: Initialised): readonly string[] {
  const { bold, dim, yellow } = context.screen.paint;
  const { folder } = trialOf(context);
  const same = sameTrial(context);
  return [
    `${bold('Tidemark team server')} at ${bold(url)}`,
    yellow('This is a trial: an embedded database in one process, not for a team’s real work.'),
    dim(`Data: ${tilde(folder)}. A server for real use: docs/server.md`),
    '',
    ...(made
      ? newTeamLines(made)
      : [
          `Team:  ${plainLine(teams.join(', '))}`,
          `A new key: tidemark server key create --member <name>${same}`,
        ]),
    '',
    `Log in on each machine: ${bold(`tidemark login ${url}`)}`,
    'Then share a project:   tidemark share .',
    `The team’s hub:         ${url}/hub/`,
    `Add a member:           tidemark server member add Ben${same}`,
    '',
    dim('Ctrl-C stops the server. The next start continues with the same data.'),
  ];
}

/** Returns the options that name the same trial in another command; nothing without `--dev`. */
export function sameTrial(context: Context): string {
  if (!context.options['dev']) return '';
  const isElsewhere = context.options['data'] !== undefined;
  return isElsewhere ? ` --dev --data ${quoted(trialOf(context).folder)}` : ' --dev';
}

export function newTeamLines({ team, owner, key }: NewTeam): readonly string[] {
  return [
    `Team:  ${plainLine(team.name)} (${team.id})`,
    `Owner: ${plainLine(owner.name)} (${owner.id})`,
    `Key:   ${key.secret}`,
    'The key is shown only once and not stored. Treat it like a password.',
  ];
}

/** Quotes a word for a shell where it needs it. */
function quoted(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
