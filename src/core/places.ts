/** Names all paths in the data folder. Pure: reads and creates nothing. */
import type * as Crypto from 'node:crypto';
import { join, normalize } from 'node:path';
import { createRequire } from 'node:module';
import { TidemarkError } from './error.ts';

/** Loads node:crypto late: it takes 10 ms of CPU, and few hooks need it. */
const load = createRequire(process.execPath);

export type Places = Readonly<ReturnType<typeof placesIn>>;

/** Names every path in the data folder `home`. */
export function placesIn(home: string) {
  const spool = join(home, 'spool');
  const run = join(home, 'run');
  return {
    home,
    config: join(home, 'config.json'),
    /** One line: the key for the model's API, written by the user with permissions 0600. Never logged or copied. */
    /** One line: the key for the embedder's server, likewise. */
    embedKey: join(home, 'embed-key'),
    /** The team server and its key, as JSON. Exists only after a login. */
    team: join(home, 'team.json'),
    /** The settings that the team makes stricter, as JSON. Exists only while this machine is logged in. */
    teamSettings: join(home, 'team-settings.json'),
    /** The result of the last exchange with the team, as JSON. */
    teamState: join(run, 'team.json'),
    /** The database of a trial of the team server (`server start --dev`). */
    trialServer: join(home, 'server-dev'),
    /** One line: the absolute path of the Node to start the daemon with. Read by the shell hook. */
    node: join(home, 'node'),
    /** One line: the absolute path of the program folder (dist) last installed. */
    program: join(home, 'program'),
    /** The copy that `install` made of a package, which npm may delete at any time. */
    app: join(home, 'app'),
    /** Exists after an uninstall that kept the data: hooks of open sessions do nothing. */
    uninstalled: join(home, 'uninstalled'),
    /** When Tidemark was installed into each agent, as JSON. */
    installs: join(home, 'installs.json'),
    /** The client's settings before each install, which uninstall restores. */
    before: join(home, 'before'),
    /** The format version of the stores, as JSON. */
    format: join(home, 'format'),
    /** One line: the version that the user was last informed of. */
    knownVersion: join(home, 'version'),
    journal: join(home, 'journal'),
    turns: join(home, 'turns'),
    ledger: join(home, 'ledger'),
    spool,
    inbox: join(spool, 'inbox'),
    /** Events set aside after failing. The folder keeps its first name, so that a later version finds them. */
    setAside: join(spool, 'poison'),
    index: join(home, 'index', 'tidemark.db'),
    /** Snapshots of journal, ledger and turn store: every day, and before a migration. */
    backups: join(home, 'backups'),
    /** A snapshot that is being restored. */
    restoring: join(home, 'restoring'),
    /** Memories forgotten less than a day ago, one file each, for an undo. */
    forgotten: join(home, 'forgotten'),
    /** Damaged files of the stores, set aside. */
    spoilt: join(home, 'spoilt'),
    /** Reports of `doctor --bundle`. */
    reports: join(home, 'reports'),
    run,
    /** V8's compiled form of the daemon's programs. Node checks it against the source and may write it again. */
    compiled: join(run, 'compiled'),
    /** One line: the path of the socket. Read by the shell hook. */
    socketPointer: join(run, 'socket'),
    socket: join(run, 'daemon.sock'),
    lock: join(run, 'daemon.lock'),
    /** pid, start time, version and hub port of the running daemon, as JSON. */
    daemon: join(run, 'daemon.json'),
    /** Exists while a hook is starting the daemon, so that the next hook does not start another. */
    starting: join(run, 'starting'),
    /** Exists while hooks skip the socket after a timeout. */
    leaveAlone: join(run, 'leave-alone'),
    briefs: join(run, 'briefs'),
    /** Markers of messages that were shown to the user. */
    told: join(run, 'told'),
    /** When each hook last reported, and the last event of each agent, as JSON. */
    heard: join(run, 'heard.json'),
    heardAgents: join(run, 'agents.json'),
    /** Notices shown at the start of a session, by cause, as JSON. */
    notices: join(run, 'notices.json'),
    /** The result of the last update check, as JSON. */
    update: join(run, 'update.json'),
    log: join(home, 'log', 'daemon.log'),
    hookLog: join(home, 'log', 'hook.log'),
  };
}

/** Returns the data folder: `TIDEMARK_HOME`, or `.tidemark` in the user's home. */
export function tidemarkHome(env: Readonly<Record<string, string | undefined>>, userHome: string): string {
  return env['TIDEMARK_HOME'] || join(userHome, '.tidemark');
}

/**
 * Refuses a data folder in /proc: nothing can be stored there, and creating a folder there (mkdir with `recursive`) never
 * returns.
 */
export function checkHome({ home }: Pick<Places, 'home'>): void {
  if (!/^\/proc(?:\/|$)/.test(normalize(home))) return;
  throw new TidemarkError('bad-home', `${home} cannot be the data folder: nothing can be stored in /proc`, {
    hint: 'Set TIDEMARK_HOME to a folder on a disk, or unset it for ~/.tidemark.',
  });
}

/** Returns the file with the last brief of a project folder, used when the daemon does not answer. */
export function briefFile(places: Places, projectDir: string): string {
  const { createHash } = load('node:crypto') as typeof Crypto;
  return join(places.briefs, `${createHash('sha256').update(projectDir).digest('hex').slice(0, 20)}.json`);
}
