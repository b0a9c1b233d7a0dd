/** The address to listen on. Beyond loopback it requires TLS, a proxy that does TLS, or an explicit flag. Pure. */
import { TidemarkError } from '../../core/index.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface Encryption {
  readonly tls: boolean;
  /** A proxy in front of the server does TLS. */
  readonly behindProxy: boolean;
  /** The operator accepts plain HTTP. */
  readonly insecure: boolean;
}

const HIGHEST_PORT = 65_535;

/** `127.0.0.1:7437`, `[::1]:7437`, `localhost:0` */
export function addressOf(text: string): Address {
  const [, six, four, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9.-]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = six ?? four;
  const port = Number(digits);
  if (host === undefined || digits === undefined || port > HIGHEST_PORT) {
    throw new TidemarkError('usage', `"${text}" is not an address to listen on`, {
      hint: `Write host:port, like 127.0.0.1:7437 or [::1]:7437.`,
    });
  }
  return { host, port };
}

export function checkEncryption({ host }: Address, { tls, behindProxy, insecure }: Encryption): void {
  if (tls || behindProxy || insecure || isLoopback(host)) return;
  throw new TidemarkError(
    'usage',
    `${host} can be reached from other machines, and keys and memories would be sent unencrypted`,
    {
      hint: 'Pass --tls-cert and --tls-key, or --behind-proxy if a proxy in front does TLS. Pass --insecure only on a network you trust.',
    },
  );
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(host);
}
