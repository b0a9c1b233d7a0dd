/** The server as it listens: TLS or not, time-outs, and a way out that finishes what was begun. */
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createAdaptorServer } from '@hono/node-server';
import { TidemarkError } from '../../core/index.ts';
import { isLoopback, type Address } from './address.ts';
import { serverApp, type AppOptions } from './app.ts';

export interface ServeOptions extends Omit<AppOptions, 'tls' | 'isLoopback' | 'leaving'> {
  /** Checked by the caller (`checkCover`). */
  readonly address: Address;
  readonly tls?: { readonly cert: string; readonly key: string };
}

export interface Serving {
  readonly url: string;
  readonly port: number;
  /** Reads certificate and key again; connections that are open stay. */
  renewTls(): void;
  /** Takes no more, finishes what was begun, ends. The store is the caller's to close. */
  close(): Promise<void>;
}

const HEAD_TIMEOUT_MS = 10_000;
/** 5 MB over a slow line. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Longer than proxies keep a connection: they close it first, and no request runs into its end. */
const KEEP_ALIVE_MS = 75_000;
/** As long as systemd waits before it kills, less a little; no request takes longer than a statement may. */
const GRACE_MS = 35_000;

export async function serve(options: ServeOptions): Promise<Serving> {
  const { address, tls, log } = options;
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
    ...(tls ? { createServer: createTlsServer, serverOptions: credentials(tls) } : {}),
  }) as Server; // an https server has all of this too
  server.headersTimeout = HEAD_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await listening(server, address);
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
        log('info', 'certificate read again');
      }
    },
    close: async () => {
      log('info', 'leaving');
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
      hint: 'The user of the server must be able to read certificate and key.',
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
            hint: 'Choose another address with --listen, or end what listens there.',
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
