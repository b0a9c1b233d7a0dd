/** Refuses requests of other sites, by their headers. Pure; cookies are checked elsewhere. */

export interface RequestHead {
  readonly method: string;
  /** Within the hub, without the hub's base path. */
  readonly path: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site`, `-Mode`, `-Dest`: set by the browser; a page cannot change them. */
  readonly site: string | undefined;
  readonly mode: string | undefined;
  readonly dest: string | undefined;
}

/** The address of a hub as a browser sees it. */
export interface HubAddress {
  readonly scheme: 'http' | 'https';
  readonly isOwnHost: (host: string) => boolean;
}

export interface Refusal {
  readonly status: 403 | 405;
  readonly code: string;
  readonly message: string;
}

const READ_METHODS = new Set(['GET', 'HEAD']);

export function refusalOf(head: RequestHead, { scheme, isOwnHost }: HubAddress): Refusal | undefined {
  const { method, host, origin, site } = head;
  // After DNS rebinding, another site's name resolves to this machine; the header still has that name.
  if (host === undefined || !isOwnHost(host)) {
    return { status: 403, code: 'wrong-host', message: 'the hub answers only on its own address' };
  }
  const isSetting = method === 'PUT' && head.path.startsWith('/api/settings/');
  if (!READ_METHODS.has(method) && method !== 'POST' && !isSetting) {
    return { status: 405, code: 'method', message: 'this address does not accept this method' };
  }
  const otherSite = {
    status: 403,
    code: 'other-site',
    message: 'requests from other sites are refused',
  } as const;
  const own = `${scheme}://${host}`;
  if (origin !== undefined && origin !== own) return otherSite;
  const isSame = site === 'same-origin' || (site === undefined && origin === own);
  if (!READ_METHODS.has(method)) return isSame ? undefined : otherSite;
  if (head.path.startsWith('/api/')) return isSame || site === undefined ? undefined : otherSite;
  // A link to the page may be followed from anywhere: browsers do not send the cookie along from another site.
  if (site === 'cross-site' || site === 'same-site') return isNavigation(head) ? undefined : otherSite;
  return undefined;
}

/** Whether the host is a loopback name of this machine. */
export function isLoopbackHost(host: string, port: number): boolean {
  return host === `127.0.0.1:${port}` || host === `localhost:${port}`;
}

function isNavigation({ mode, dest }: RequestHead): boolean {
  return mode === 'navigate' && dest === 'document';
}
