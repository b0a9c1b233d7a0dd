/** Runs the team server until a signal ends it. The server is a separate program. */
import { resolve } from 'node:path';
import { given, type TidemarkError } from '../../../core/index.ts';
import { EXIT, flag, optionText, usageError, value, type Context, type Verb } from '../../verb.ts';
import { DATABASE, run } from './_server-program.ts';
import { firstTeam, installTrial, trialLines } from './_server-trial.ts';

const DEFAULT_LISTEN = '127.0.0.1:7437';

export const serverStart: Verb = {
  name: 'server start',
  usage:
    'server start [--dev] [--listen <host:port>] [--tls-cert <file> --tls-key <file> | --behind-proxy | --insecure]',
  summary: 'Serve shared memory to a team on PostgreSQL, or as a trial without one (--dev).',
  json: false,
  options: {
    ...DATABASE,
    dev: flag('A trial: an embedded database, the first team and its key on the first start.'),
    team: value('name', 'With --dev: name of the first team (default: "team").'),
    owner: value('name', 'With --dev: owner of the first team (default: your user name).'),
    yes: flag('With --dev: install the embedded database without asking.', 'y'),
    listen: value('host:port', `Address to listen on (default: ${DEFAULT_LISTEN}).`),
    'tls-cert': value('file', 'Certificate, PEM; read again on SIGHUP.'),
    'tls-key': value('file', 'Its key, PEM.'),
    'behind-proxy': flag('A reverse proxy handles TLS and sets X-Forwarded-For.'),
    insecure: flag('Allow connections from other machines without TLS.'),
    'read-database': value(
      'url',
      'A replica of the database, for searches and lists. Prefer READ_DATABASE_URL.',
    ),
    connections: value('n', 'Maximum number of database connections (default: 20).'),
    rate: value('n', 'Maximum number of requests per second for each key (default: 50).'),
    'keep-days': value('n', 'Days that answered requests and processed messages are kept (default: 30).'),
  },
  examples: [
    'tidemark server start --dev',
    'DATABASE_URL=postgres://tidemark@localhost/tidemark tidemark server start',
    'tidemark server start --listen 0.0.0.0:7437 --tls-cert cert.pem --tls-key key.pem',
  ],
  run: start,
};

/** The same without the second word, as services and containers have it. */
export const server: Verb = {
  ...serverStart,
  name: 'server',
  usage: serverStart.usage.replace('server start', 'server'),
  summary: 'The same as: tidemark server start',
  examples: ['DATABASE_URL=postgres://tidemark@localhost/tidemark tidemark server'],
};

async function start(context: Context): Promise<number> {
  const { args, options, screen } = context;
  if (args.length > 0) {
    throw usageError(
      `there is no "server ${args[0]}"`,
      'server start, init, status, doctor, team, member, key, settings, backup',
    );
  }
  const tls = tlsOf(context);
  const connections = numberOf(context, 'connections');
  const rate = numberOf(context, 'rate');
  const keptDays = numberOf(context, 'keep-days');
  const isTrial = Boolean(options['dev']);
  if (isTrial && connections !== undefined)
    throw usageError('a trial has one connection', 'Leave --connections out with --dev.');
  if (isTrial) {
    await installTrial(context);
    screen.progress('Starting the embedded database…');
  }
  let isLogged = false;
  const running = run(context, {
    listen: optionText(options, 'listen') ?? DEFAULT_LISTEN,
    behindProxy: Boolean(options['behind-proxy']),
    insecure: Boolean(options['insecure']),
    first: firstTeam(context),
    // At a terminal the lines of the log would bury the key.
    quiet: isTrial && Boolean(process.stderr.isTTY),
    onReady: (url, started) => {
      screen.done();
      if (started) for (const line of trialLines(context, url, started)) screen.print(line);
    },
    // A service reads JSON only; a person reads the error.
    ...(isTrial || process.stderr.isTTY ? {} : { onFailure: () => void (isLogged = true) }),
    ...(tls ? { tls } : {}),
    ...given({ connections, rate, keptDays }),
  });
  try {
    await running;
  } catch (error) {
    if (!isLogged) throw error;
    return (error as TidemarkError).code === 'unreachable' ? EXIT.unreachable : EXIT.failed;
  }
  if (isTrial) screen.say('Stopped. Start it again with the same command; nothing is lost.');
  return EXIT.ok;
}

function tlsOf({ options, cwd }: Context): { readonly cert: string; readonly key: string } | undefined {
  const { 'tls-cert': cert, 'tls-key': key } = options;
  if (cert === undefined && key === undefined) return undefined;
  if (typeof cert === 'string' && typeof key === 'string')
    return { cert: resolve(cwd, cert), key: resolve(cwd, key) };
  throw usageError('TLS needs both a certificate and its key', '--tls-cert cert.pem --tls-key key.pem');
}

function numberOf({ options }: Context, name: string): number | undefined {
  const given = options[name];
  if (given === undefined) return undefined;
  if (typeof given === 'string' && /^[1-9]\d{0,5}$/.test(given)) return Number(given);
  throw usageError(`--${name} must be a whole number from 1 up`);
}
