/** Chooses the hub's port: the user's own, or the next free one. Listens on loopback only. */
import type { Server } from 'node:http';

export const HOST = '127.0.0.1';
/** Not registered with IANA. Linux may use it for an outgoing connection; then the next port is tried. */
const LOWEST_PORT = 37_800;
/** Each user of a machine starts at another port, so that a bookmarked address usually stays valid. */
const USERS_APART = 100;
const PORTS_TRIED = 100;
const HIGHEST_PORT = 65_535;

/** 37800 + uid % 100 */
export function firstPort(uid: number = process.getuid?.() ?? 0): number {
  return LOWEST_PORT + (uid % USERS_APART);
}

/** Listens on `first` or the next free port; if a hundred are taken, on any free port. */
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
