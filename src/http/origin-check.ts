/** Whether a request may come in at all, by where it comes from. Pure; cookies are looked at elsewhere. */

export interface RequestHead {
  readonly method: string;
  /** Within the hub: without what stands before it on a server that serves more. */
  readonly path: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site`, `-Mode`, `-Dest`: set by the browser, out of reach of the page that asks. */
  readonly site: string | undefined;
  readonly mode: string | undefined;
  readonly dest: string | undefined;
}

/** Where a hub stands, as a browser sees it. */
export interface Standpoint {
  readonly scheme: 'http' | 'https';
  readonly isOwnHost: (host: string) => boolean;
}

export interface Refusal {
  readonly status: 403 | 405;
  readonly code: string;
  readonly message: string;
}

const READING = new Set(['GET', 'HEAD']);

export function refusalOf(head: RequestHead, { scheme, isOwnHost }: Standpoint): Refusal | undefined {
  const { method, host, origin, site } = head;
  // A page of another name that resolves to this machine (DNS rebinding) carries its own name here.
  if (host === undefined || !isOwnHost(host)) {
    return { status: 403, code: 'wrong-host', message: 'the hub answers only to its own address' };
  }
  const isSetting = method === 'PUT' && head.path.startsWith('/api/settings/');
  if (!READING.has(method) && method !== 'POST' && !isSetting) {
    return { status: 405, code: 'method', message: 'the hub does not take this method here' };
  }
  const fromElsewhere = {
    status: 403,
    code: 'other-site',
    message: 'another site may not ask the hub',
  } as const;
  const own = `${scheme}://${host}`;
  if (origin !== undefined && origin !== own) return fromElsewhere;
  const isSame = site === 'same-origin' || (site === undefined && origin === own);
  if (!READING.has(method)) return isSame ? undefined : fromElsewhere;
  if (head.path.startsWith('/api/')) return isSame || site === undefined ? undefined : fromElsewhere;
  // Following a link to the page is fine, from wherever: the cookie does not come along from another site.
  if (site === 'cross-site' || site === 'same-site') return isVisit(head) ? undefined : fromElsewhere;
  return undefined;
}

/** The names of this machine to itself. */
export function isLoopbackHost(host: string, port: number): boolean {
  return host === `127.0.0.1:${port}` || host === `localhost:${port}`;
}

function isVisit({ mode, dest }: RequestHead): boolean {
  return mode === 'navigate' && dest === 'document';
}
