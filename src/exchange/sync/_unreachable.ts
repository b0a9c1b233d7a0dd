/** Error for a team server that does not answer. The system's error code is somewhere in a chain of causes. */
import { TidemarkError } from '../../core/index.ts';

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed',
  UND_ERR_SOCKET: 'connection closed',
  ENOTFOUND: 'unknown host name',
  EAI_AGAIN: 'host names cannot be resolved right now',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no network',
  ETIMEDOUT: 'timed out',
  UND_ERR_CONNECT_TIMEOUT: 'timed out',
  TimeoutError: 'timed out',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is not trusted',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not use TLS; is it http instead of https?',
};
const OWN_AUTHORITY =
  'If your team has its own certificate authority, set NODE_EXTRA_CA_CERTS to its certificate and restart: tidemark stop';

export function unreachable(server: string, cause: unknown, hint: string): TidemarkError {
  const reason = reasonOf(cause);
  return new TidemarkError('team.away', `${server} does not answer${reason ? ` (${reason})` : ''}`, {
    cause,
    hint: reason === REASONS['DEPTH_ZERO_SELF_SIGNED_CERT'] ? OWN_AUTHORITY : hint,
  });
}

function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (/redirect/i.test(error.message)) return 'it redirects; use the address it redirects to';
  const code = 'code' in error ? String(error.code) : error.name;
  return REASONS[code] ?? reasonOf(error.cause);
}
