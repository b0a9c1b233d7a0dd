/** The address to listen on. Beyond loopback it requires TLS, a proxy that does TLS, or an explicit flag. Pure. */
import { isIPv6 } from 'node:net';
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

/** Hextets of a network that one IPv6 customer gets at least. */
const HEXTETS = 4;

/**
 * Returns what limits count as one client: an IPv4 address, or a /64 network of IPv6, of which one customer has all
 * addresses. `networkOf('2001:db8::1:2')` → `2001:db8:0:0::/64`; `networkOf('::ffff:192.0.2.1')` → `192.0.2.1`
 */
export function networkOf(address: string): string {
  const [, mapped] = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address.slice(0, LONGEST_ADDRESS);
  const [head = '', tail] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  const all = [...first, ...Array.from({ length: Math.max(0, zeros) }, () => '0'), ...last];
  return `${all
    .slice(0, HEXTETS)
    .map((one) => one.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}

/** A proxy may forward any text as an address. */
const LONGEST_ADDRESS = 64;
