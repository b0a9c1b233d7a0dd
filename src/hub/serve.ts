/**
 * The hub's server on a user's machine: the page and its API on loopback, for browsers that opened a link of the daemon.
 * Reads and changes memories only through the daemon's calls.
 */
import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import type { BlankEnv } from 'hono/types';
import type { DaemonCall, DaemonEvent } from '../daemon/index.ts';
import { Feed, hubApi, hubApp, isLoopbackHost, readAssets } from '../http/index.ts';
import { errorAnswer, LOCKED } from './_errors.ts';
import { Imports } from './_imports.ts';
import { Keys } from './_keys.ts';
import { firstPort, HOST, listen } from './_listen.ts';
import { liveEvent } from './_live.ts';
import { machineStore } from './_store.ts';

export interface HubOptions {
  /** First port to try; 0 for the port of this user (see `firstPort`). */
  readonly port: number;
  /** The daemon's calls: `read.search`, `read.show`, `status` … Each has its own timeout. */
  readonly call: DaemonCall;
  /** Calls the listener with every event of the daemon until the returned function is called. */
  readonly listen: (listener: (happening: DaemonEvent) => void) => () => void;
  /** Folder of the built page. It is read once, at the start. */
  readonly assets: string;
  readonly now?: () => Date;
  /** Called with every error that is not the client's fault. Never receives a key. */
  readonly onError?: (error: unknown) => void;
}

export interface Hub {
  readonly port: number;
  /** How many pages listen for live events. */
  readonly listeners: number;
  /** Returns a new address that lets one browser in, once, within a few minutes. */
  link(): string;
  close(): Promise<void>;
}

/** Ample for a browser on loopback, whose bodies are small. */
const REQUEST_TIMEOUT_MS = 10_000;
/** How often connections are checked against that timeout. */
const CHECK_EVERY_MS = 2000;
/** Leaves the daemon enough file descriptors for its own files. */
const MOST_CONNECTIONS = 1024;
const PUBLIC_FILES = new Set(['/locked.css', '/tidemark.svg']);

/** `const hub = await serveHub({ port: 0, call, listen, assets }); open(hub.link())` */
export async function serveHub(options: HubOptions): Promise<Hub> {
  const { call, now = () => new Date(), onError = () => {} } = options;
  const keys = new Keys(() => now().getTime());
  const feed = new Feed();
  const imports = new Imports({
    call,
    now,
    onError,
    report: (state) => feed.publish({ kind: 'import', state }),
  });
  const store = machineStore(call, imports);
  let port = 0;
  const app = hubApp<BlankEnv>({
    base: '',
    assets: readAssets(options.assets),
    lockedPage: '/locked.html',
    publicFiles: PUBLIC_FILES,
    address: () => ({ scheme: 'http', isOwnHost: (host) => isLoopbackHost(host, port) }),
    // Browsers send a cookie to every port of a machine: two hubs must not overwrite each other's.
    cookieName: () => `tidemark-${port}`,
    visits: {
      enter: (key) => keys.enter(key),
      isVisitor: (cookie) => keys.isVisitor(cookie),
      claimPage: (cookie) => keys.claimPage(cookie),
      isPage: (cookie, key) => keys.isPage(cookie, key),
      leave: (cookie) => {
        keys.leave(cookie);
        feed.dismiss();
      },
    },
    api: hubApi<BlankEnv>({ storeFor: () => store, errorAnswer }),
    events: (_c, lastEventId, cookie) => feed.open(lastEventId, () => keys.isVisitor(cookie)),
    locked: () => errorAnswer(LOCKED),
    failed: (error, c) => {
      const { status, body } = errorAnswer(error);
      if (status === 500) onError(error);
      return c.json(body, status);
    },
  });
  const server = createAdaptorServer({
    fetch: app.fetch,
    overrideGlobalObjects: false,
    serverOptions: {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_EVERY_MS,
    },
  }) as Server; // without other options the adaptor creates a plain HTTP/1.1 server
  server.maxConnections = MOST_CONNECTIONS;
  port = await listen(server, options.port === 0 ? firstPort() : options.port);
  const stopListening = options.listen((happening) => {
    const event = liveEvent(happening);
    if (event) feed.publish(event);
  });
  return {
    port,
    get listeners() {
      return feed.listeners;
    },
    link: () => `http://${HOST}:${port}/enter?key=${keys.newLink()}`,
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
