/** Where everything lies under the data folder. Pure: names only, nothing is read or made here. */
import type * as Crypto from 'node:crypto';
import { join, normalize } from 'node:path';
import { createRequire } from 'node:module';
import { TidemarkError } from './error.ts';

/** node:crypto takes 10 ms of CPU to load, which every hook would pay for the rare one that needs a brief's name. */
const load = createRequire(process.execPath);

export interface Places {
  readonly home: string;
  readonly config: string;
  /** One line: the key for the model's API, written by the user with permissions 0600. Never logged or copied. */
  readonly apiKey: string;
  /** One line: the key for the embedder's server, likewise. */
  readonly embedKey: string;
  /** The team server and the key for it, as JSON. There only where somebody has logged in. */
  readonly team: string;
  /** How the last exchange with the team went, as JSON. */
  readonly teamState: string;
  /** The models of the local embedder, one folder each. */
  readonly models: string;
  /** One line: the absolute path of the Node to start the daemon with. Read by the shell hook. */
  readonly node: string;
  /** One line: the absolute path of the program folder (dist) last installed. */
  readonly program: string;
  /** The program as `install` put it there from a package, which npm may clear away at any time. */
  readonly app: string;
  /** There after an uninstall that kept the data: hooks of sessions still open stay silent. */
  readonly uninstalled: string;
  /** The client's settings as they were before each install, for uninstall to put back. */
  readonly before: string;
  /** Which format the stores are in, as JSON. */
  readonly format: string;
  /** One line: the version the user knows to have. */
  readonly knownVersion: string;
  readonly journal: string;
  readonly turns: string;
  readonly ledger: string;
  readonly spool: string;
  readonly inbox: string;
  readonly poison: string;
  readonly index: string;
  /** Snapshots of journal, ledger and turn store: every day, and before a migration. */
  readonly backups: string;
  /** A snapshot on its way back into the stores. */
  readonly restoring: string;
  /** What was forgotten less than a day ago, one file each, for an undo. */
  readonly forgotten: string;
  /** Files of the stores that were found damaged, put aside. */
  readonly spoilt: string;
  /** What `doctor --bundle` wrote. */
  readonly reports: string;
  readonly run: string;
  /** One line: where the socket really is. Read by the shell hook. */
  readonly socketPointer: string;
  readonly socket: string;
  readonly lock: string;
  /** pid, start time, version and hub port of the running daemon, as JSON. */
  readonly daemon: string;
  /** There while a hook is starting the daemon, so that the next one does not start another. */
  readonly starting: string;
  /** There while the socket is to be left alone after a time-out. */
  readonly leaveAlone: string;
  readonly briefs: string;
  /** What was already told to the user once. */
  readonly told: string;
  /** What a person was told at the start of a session, by cause, as JSON. */
  readonly notices: string;
  /** What the last look for a newer version found, as JSON. */
  readonly update: string;
  readonly log: string;
  readonly hookLog: string;
}

export function placesIn(home: string): Places {
  const spool = join(home, 'spool');
  const run = join(home, 'run');
  return {
    home,
    config: join(home, 'config.json'),
    apiKey: join(home, 'api-key'),
    embedKey: join(home, 'embed-key'),
    team: join(home, 'team.json'),
    teamState: join(run, 'team.json'),
    models: join(home, 'models'),
    node: join(home, 'node'),
    program: join(home, 'program'),
    app: join(home, 'app'),
    uninstalled: join(home, 'uninstalled'),
    before: join(home, 'before'),
    format: join(home, 'format'),
    knownVersion: join(home, 'version'),
    journal: join(home, 'journal'),
    turns: join(home, 'turns'),
    ledger: join(home, 'ledger'),
    spool,
    inbox: join(spool, 'inbox'),
    poison: join(spool, 'poison'),
    index: join(home, 'index', 'tidemark.db'),
    backups: join(home, 'backups'),
    restoring: join(home, 'restoring'),
    forgotten: join(home, 'forgotten'),
    spoilt: join(home, 'spoilt'),
    reports: join(home, 'reports'),
    run,
    socketPointer: join(run, 'socket'),
    socket: join(run, 'daemon.sock'),
    lock: join(run, 'daemon.lock'),
    daemon: join(run, 'daemon.json'),
    starting: join(run, 'starting'),
    leaveAlone: join(run, 'leave-alone'),
    briefs: join(run, 'briefs'),
    told: join(run, 'told'),
    notices: join(run, 'notices.json'),
    update: join(run, 'update.json'),
    log: join(home, 'log', 'daemon.log'),
    hookLog: join(home, 'log', 'hook.log'),
  };
}

/** The data folder: `TIDEMARK_HOME`, else `.tidemark` in the user's home. */
export function tidemarkHome(env: Readonly<Record<string, string | undefined>>, userHome: string): string {
  return env['TIDEMARK_HOME'] || join(userHome, '.tidemark');
}

/**
 * Refuses a data folder where nothing can be kept: making a folder in /proc never fails and never ends (mkdir with
 * `recursive`), so it has to be told before.
 */
export function checkHome({ home }: Pick<Places, 'home'>): void {
  if (!/^\/proc(?:\/|$)/.test(normalize(home))) return;
  throw new TidemarkError('bad-home', `${home} is no place for data: nothing can be kept in /proc`, {
    hint: 'Set TIDEMARK_HOME to a folder on a disk, or unset it for ~/.tidemark.',
  });
}

/** The file that holds the brief a project directory got last, for the moment the daemon does not answer. */
export function briefFile(places: Places, projectDir: string): string {
  const { createHash } = load('node:crypto') as typeof Crypto;
  return join(places.briefs, `${createHash('sha256').update(projectDir).digest('hex').slice(0, 20)}.json`);
}
