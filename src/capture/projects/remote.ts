/** Remote URLs reduced to what names the repository, so that ssh, https and git@ of one repository meet. Pure. */
import { fileURLToPath } from 'node:url';

export type Remote =
  | { readonly kind: 'host'; readonly name: string }
  | { readonly kind: 'folder'; readonly path: string };

/** These hosts take owner and repository in any case. */
const CASELESS_HOSTS: ReadonlySet<string> = new Set(['github.com', 'gitlab.com', 'bitbucket.org']);

/** `git@GitHub.com:Ada/Engine.git` and `https://token@github.com/ada/engine/` → `github.com/ada/engine` */
export function parseRemote(url: string): Remote | undefined {
  const text = url.trim();
  if (/^file:\/\//i.test(text)) return localUrl(text);
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/@]*@)?(\[[^\]]+\]|[^/:]+)(?::\d*)?\/(.*)$/i.exec(text);
  if (withScheme) return onHost(withScheme[1] ?? '', withScheme[2] ?? '');
  if (/^([A-Za-z]:[\\/]|[./~\\])/.test(text)) return { kind: 'folder', path: text };
  const scpLike = /^(?:[^@/:]*@)?(\[[^\]]+\]|[^/:@]+):(.*)$/.exec(text);
  if (scpLike) return onHost(scpLike[1] ?? '', scpLike[2] ?? '');
  return text === '' ? undefined : { kind: 'folder', path: text };
}

function onHost(rawHost: string, rawPath: string): Remote | undefined {
  const host = rawHost.toLowerCase();
  const path = decode(rawPath)
    .replace(/[?#].*$/, '')
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/i, '')
    .replace(/\/{2,}/g, '/');
  if (host === '' || path === '') return undefined;
  return { kind: 'host', name: `${host}/${CASELESS_HOSTS.has(host) ? path.toLowerCase() : path}` };
}

function localUrl(url: string): Remote | undefined {
  try {
    return { kind: 'folder', path: fileURLToPath(url) };
  } catch {
    return undefined;
  }
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
