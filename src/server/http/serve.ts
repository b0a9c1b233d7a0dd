/** Listens with or without TLS, sets the time-outs, and shuts down after the requests under way are answered. */
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createAdaptorServer } from '@hono/node-server';
import { TidemarkError } from '../../core/index.ts';
import { hearChanges } from '../live/index.ts';
import { isLoopback, type Address } from './address.ts';
import { serverApp, type AppOptions } from './app.ts';

export interface ServeOptions extends Omit<AppOptions, 'tls' | 'isLoopback' | 'leaving'> {
  /** The caller has checked it with `checkEncryption`. */
  readonly address: Address;
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly patience?: Patience;
}

export interface Serving {
  readonly url: string;
  readonly port: number;
  /** Reads certificate and key again. Open connections stay. */
  renewTls(): void;
  /** Stops accepting, answers the requests under way, then ends. Does not close the store. */
  close(): Promise<void>;
}

/** The times after which a slow client is cut off, and how often Node looks for one. Shorter in tests. */
interface Patience {
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly connectionsCheckingInterval: number;
}

const PATIENCE: Patience = {
  headersTimeout: 10_000,
  // Enough for 5 MB over a slow connection.
  requestTimeout: 60_000,
  connectionsCheckingInterval: 5000,
};
/** More than the machines and pages that may wait (5,000 and 500); the rest is refused before it costs memory. */
const MOST_CONNECTIONS = 7000;
/** Longer than proxies keep a connection, so that the proxy closes it and no request meets a closed one. */
const KEEP_ALIVE_MS = 75_000;
/** Less than the 45 s that systemd waits, and more than a statement may take. */
const GRACE_MS = 35_000;

export async function serve(options: ServeOptions): Promise<Serving> {
  const { address, tls, log, patience = PATIENCE } = options;
  const leaving = new AbortController();
  const { app, end } = serverApp({
    ...options,
    tls: tls !== undefined,
    isLoopback: isLoopback(address.host),
    leaving: leaving.signal,
  });
  const server = createAdaptorServer({
    fetch: app.fetch,
    overrideGlobalObjects: false,
    ...(tls
      ? { createServer: createTlsServer, serverOptions: { ...patience, ...credentials(tls) } }
      : { serverOptions: patience }),
  }) as Server; // an https server has all of this too
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.maxConnections = MOST_CONNECTIONS;
  await listening(server, address);
  hearChanges(options.store, log);
  const bound = server.address();
  const port = typeof bound === 'object' && bound ? bound.port : address.port;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  log('info', 'listening', { host: address.host, port, tls: tls !== undefined });
  return {
    port,
    url: `${tls ? 'https' : 'http'}://${host}:${port}`,
    renewTls: () => {
      if (tls && 'setSecureContext' in server) {
        (server as unknown as { setSecureContext(of: object): void }).setSecureContext(credentials(tls));
        log('info', 'certificate reloaded');
      }
    },
    close: async () => {
      log('info', 'stopping');
      leaving.abort();
      await closed(server);
      await end();
    },
  };
}

function credentials({ cert, key }: NonNullable<ServeOptions['tls']>): { cert: Buffer; key: Buffer } {
  return { cert: fileOf(cert), key: fileOf(key) };
}

function fileOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new TidemarkError('usage', `cannot read ${path}`, {
      cause,
      hint: 'The user that runs the server must be able to read certificate and key.',
    });
  }
}

function listening(server: Server, { host, port }: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(
        new TidemarkError(
          'unreachable',
          `cannot listen on ${host}:${port} (${cause.code ?? cause.message})`,
          {
            cause,
            hint: 'Choose another address with --listen, or stop the program that uses this one.',
          },
        ),
      );
    });
    server.listen({ host, port }, resolve);
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
