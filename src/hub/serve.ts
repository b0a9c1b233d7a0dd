/**
 * The hub's server: the page and its API on this machine's own address, for the one who was handed a link.
 * Knows nothing of memories: every question goes on to the daemon's calls.
 */
import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import type { DaemonCall, Happening } from '../daemon/index.ts';
import { Feed, readAssets } from '../http/index.ts';
import { localHub } from './_app.ts';
import { Imports } from './_imports.ts';
import { Keys } from './_keys.ts';
import { HOST, firstPort, listen } from './_listen.ts';
import { liveEvent } from './_live.ts';

export interface HubOptions {
  /** Where to look for a free port from; 0 for the port of this user (see `firstPort`). */
  readonly port: number;
  /** The daemon's calls: `read.search`, `read.show`, `status` … Each carries its own time-out. */
  readonly call: DaemonCall;
  /** Hears of what happens in the daemon until it is called off. */
  readonly listen: (listener: (happening: Happening) => void) => () => void;
  /** Folder of the built page. Read once; what is not in it then is never served. */
  readonly assets: string;
  readonly now?: () => Date;
  /** Told of every error that is no fault of the asker. Never of a key. */
  readonly onError?: (error: unknown) => void;
}

export interface Hub {
  readonly port: number;
  /** How many pages follow what happens. */
  readonly listeners: number;
  /** A new address that lets one browser in, once, within a few minutes. */
  link(): string;
  close(): Promise<void>;
}

/** A browser on loopback needs no longer for its head, nor for the small bodies it sends. */
const REQUEST_TIMEOUT_MS = 10_000;
/** How soon a connection that is past it is noticed and closed. */
const LOOK_EVERY_MS = 2000;
/** Files of the daemon's own must stay openable, whoever knocks how often. */
const MOST_CONNECTIONS = 1024;

/** `const hub = await serveHub({ port: 0, call, listen, assets }); open(hub.link())` */
export async function serveHub(options: HubOptions): Promise<Hub> {
  const { call, now = () => new Date(), onError = () => {} } = options;
  const keys = new Keys(() => now().getTime());
  const assets = readAssets(options.assets);
  const feed = new Feed();
  const imports = new Imports({
    call,
    now,
    onError,
    tell: (state) => feed.publish({ kind: 'import', state }),
  });
  const at = { port: 0 };
  const app = localHub({ call, imports, assets, feed, keys, port: () => at.port, onError });
  const server = createAdaptorServer({
    fetch: app.fetch,
    overrideGlobalObjects: false,
    serverOptions: {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: LOOK_EVERY_MS,
    },
  }) as Server; // plain HTTP/1.1 was asked for, so this is the one kind of server it can be
  server.maxConnections = MOST_CONNECTIONS;
  at.port = await listen(server, options.port === 0 ? firstPort() : options.port);
  const stopListening = options.listen((happening) => {
    const event = liveEvent(happening);
    if (event) feed.publish(event);
  });
  return {
    port: at.port,
    get listeners() {
      return feed.listeners;
    },
    link: () => `http://${HOST}:${at.port}/enter?key=${keys.newLink()}`,
    close: () => {
      stopListening();
      imports.cancel();
      feed.close();
      return close(server);
    },
  };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
