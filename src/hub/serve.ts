/**
 * The hub's server: the page and its API on this machine's own address, for the one who was handed a link.
 * Knows nothing of memories: every question goes on to the daemon's calls.
 */
import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { hubApp } from './_app.ts';
import { readAssets } from './_assets.ts';
import { Keys } from './_keys.ts';
import { HOST, firstPort, listen } from './_listen.ts';

export interface HubOptions {
  /** Where to look for a free port from; 0 for the port of this user (see `firstPort`). */
  readonly port: number;
  /** The daemon's calls: `read.search`, `read.show`, `status` … Each carries its own time-out. */
  readonly call: (method: string, args: unknown) => Promise<unknown>;
  /** Folder of the built page. Read once; what is not in it then is never served. */
  readonly assets: string;
  readonly now?: () => Date;
  /** Told of every error that is no fault of the asker. Never of a key. */
  readonly onError?: (error: unknown) => void;
}

export interface Hub {
  readonly port: number;
  /** A new address that lets one browser in, once, within a few minutes. */
  link(): string;
  close(): Promise<void>;
}

/** A browser on loopback needs no longer for its head, nor for the empty bodies it sends. */
const REQUEST_TIMEOUT_MS = 10_000;

/** `const hub = await serveHub({ port: 0, call, assets }); open(hub.link())` */
export async function serveHub(options: HubOptions): Promise<Hub> {
  const { call, now = () => new Date(), onError = () => {} } = options;
  const keys = new Keys(() => now().getTime());
  const assets = readAssets(options.assets);
  const at = { port: 0 };
  const app = hubApp({ call, assets, keys, port: () => at.port, onError });
  // Plain HTTP/1.1 was asked for, so this is the one kind of server it can be.
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.headersTimeout = REQUEST_TIMEOUT_MS;
  at.port = await listen(server, options.port === 0 ? firstPort() : options.port);
  return {
    port: at.port,
    link: () => `http://${HOST}:${at.port}/enter?key=${keys.newLink()}`,
    close: () => close(server),
  };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
