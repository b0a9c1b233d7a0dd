/** The team server: runs until a signal ends it. Everything it needs is in a program of its own. */
import { resolve } from 'node:path';
import { given, TidemarkError } from '../../../core/index.ts';
import type { Context, Verb } from '../../verb.ts';
import { DATABASE, run } from './_server-program.ts';

const DEFAULT_LISTEN = '127.0.0.1:7437';

export const server: Verb = {
  name: 'server',
  usage: 'server [--listen <host:port>] [--tls-cert <file> --tls-key <file> | --behind-proxy | --insecure]',
  summary: 'Serve shared memory to a team, on PostgreSQL; first: tidemark server init.',
  options: {
    ...DATABASE,
    listen: { type: 'string', value: 'host:port', doc: `Where to listen (${DEFAULT_LISTEN}).` },
    'tls-cert': { type: 'string', value: 'file', doc: 'Certificate, PEM; read again on SIGHUP.' },
    'tls-key': { type: 'string', value: 'file', doc: 'Its key, PEM.' },
    'behind-proxy': { type: 'boolean', doc: 'A proxy in front does TLS and sets X-Forwarded-For.' },
    insecure: { type: 'boolean', doc: 'Listen beyond this machine without TLS all the same.' },
    connections: { type: 'string', value: 'n', doc: 'Connections to the database at most (20).' },
    rate: { type: 'string', value: 'n', doc: 'Requests a second of one key (50).' },
  },
  examples: [
    'DATABASE_URL=postgres://tidemark@localhost/tidemark tidemark server',
    'tidemark server --listen 0.0.0.0:7437 --tls-cert cert.pem --tls-key key.pem',
  ],
  async run(context) {
    const { args, options } = context;
    if (args.length > 0) {
      throw new TidemarkError('usage', `there is no "server ${args[0]}"`, {
        hint: 'server, server init, server doctor, server key, server member, server team, server backup',
      });
    }
    const tls = tlsOf(context);
    const connections = numberOf(context, 'connections');
    const rate = numberOf(context, 'rate');
    await run(context, {
      listen: typeof options['listen'] === 'string' ? options['listen'] : DEFAULT_LISTEN,
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
  throw new TidemarkError('usage', 'TLS takes both a certificate and its key', {
    hint: '--tls-cert cert.pem --tls-key key.pem',
  });
}

function numberOf({ options }: Context, name: string): number | undefined {
  const given = options[name];
  if (given === undefined) return undefined;
  if (typeof given === 'string' && /^[1-9]\d{0,5}$/.test(given)) return Number(given);
  throw new TidemarkError('usage', `--${name} takes a number from 1 on`);
}
