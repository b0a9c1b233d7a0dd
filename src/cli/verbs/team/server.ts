/** Runs the team server until a signal ends it. The server is a separate program. */
import { resolve } from 'node:path';
import { given } from '../../../core/index.ts';
import { flag, optionText, usageError, value, type Context, type Verb } from '../../verb.ts';
import { DATABASE, run } from './_server-program.ts';

const DEFAULT_LISTEN = '127.0.0.1:7437';

export const server: Verb = {
  name: 'server',
  usage: 'server [--listen <host:port>] [--tls-cert <file> --tls-key <file> | --behind-proxy | --insecure]',
  summary: 'Serve shared memory to a team on PostgreSQL. First run: tidemark server init',
  json: false,
  options: {
    ...DATABASE,
    listen: value('host:port', `Address to listen on (default: ${DEFAULT_LISTEN}).`),
    'tls-cert': value('file', 'Certificate, PEM; read again on SIGHUP.'),
    'tls-key': value('file', 'Its key, PEM.'),
    'behind-proxy': flag('A reverse proxy handles TLS and sets X-Forwarded-For.'),
    insecure: flag('Allow connections from other machines without TLS.'),
    connections: value('n', 'Maximum number of database connections (default: 20).'),
    rate: value('n', 'Maximum number of requests per second for each key (default: 50).'),
  },
  examples: [
    'DATABASE_URL=postgres://tidemark@localhost/tidemark tidemark server',
    'tidemark server --listen 0.0.0.0:7437 --tls-cert cert.pem --tls-key key.pem',
  ],
  async run(context) {
    const { args, options } = context;
    if (args.length > 0) {
      throw usageError(
        `there is no "server ${args[0]}"`,
        'server, server init, server doctor, server key, server member, server team, server backup',
      );
    }
    const tls = tlsOf(context);
    const connections = numberOf(context, 'connections');
    const rate = numberOf(context, 'rate');
    await run(context, {
      listen: optionText(options, 'listen') ?? DEFAULT_LISTEN,
      behindProxy: Boolean(options['behind-proxy']),
      insecure: Boolean(options['insecure']),
      ...(tls ? { tls } : {}),
      ...given({ connections, rate }),
    });
  },
};

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
