/** Why no answer came, in words of people: what the network says is in a chain of causes. */
import { TidemarkError } from '../../core/index.ts';

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it hung up',
  UND_ERR_SOCKET: 'it hung up',
  ENOTFOUND: 'nobody knows this name',
  EAI_AGAIN: 'names cannot be looked up right now',
  EHOSTUNREACH: 'no way leads there',
  ENETUNREACH: 'there is no network',
  ETIMEDOUT: 'it took too long',
  UND_ERR_CONNECT_TIMEOUT: 'it took too long',
  TimeoutError: 'it took too long',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted here',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is not trusted here',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS: http instead of https?',
};
const OWN_AUTHORITY =
  'If your team has an authority of its own, name its certificate in NODE_EXTRA_CA_CERTS and restart: tidemark stop';

export function unreachable(server: string, cause: unknown, hint: string): TidemarkError {
  const reason = reasonOf(cause);
  return new TidemarkError('team.away', `${server} does not answer${reason ? ` (${reason})` : ''}`, {
    cause,
    hint: reason === REASONS['DEPTH_ZERO_SELF_SIGNED_CERT'] ? OWN_AUTHORITY : hint,
  });
}

function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (/redirect/i.test(error.message)) return 'it sends elsewhere; give the address it sends to';
  const code = 'code' in error ? String(error.code) : error.name;
  return REASONS[code] ?? reasonOf(error.cause);
}
