/** Which port the hub takes: the user's own, or the next one that is free. Loopback only, never another address. */
import type { Server } from 'node:http';

export const HOST = '127.0.0.1';
/** Of no service registered with IANA. Linux may lend it to a connection that passes: then the next one is taken. */
const LOWEST_PORT = 37_800;
/** Users of one machine start apart from each other, so that an address once bookmarked mostly stays. */
const USERS_APART = 100;
const PORTS_TRIED = 100;
const HIGHEST_PORT = 65_535;

/** 37800 + uid % 100 */
export function firstPort(uid: number = process.getuid?.() ?? 0): number {
  return LOWEST_PORT + (uid % USERS_APART);
}

/** Listens on `first` or the next free port after it, on any free one if a hundred are taken. */
export async function listen(server: Server, first: number): Promise<number> {
  for (let port = first; port < first + PORTS_TRIED && port <= HIGHEST_PORT; port++) {
    if (await tryPort(server, port)) return port;
  }
  await tryPort(server, 0);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the hub found no port to listen on');
  return address.port;
}

function tryPort(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => {
      server.off('listening', listening);
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') return resolve(false);
      reject(error);
    };
    const listening = () => {
      server.off('error', failed);
      resolve(true);
    };
    server.once('error', failed);
    server.once('listening', listening);
    server.listen({ port, host: HOST, exclusive: true });
  });
}
