/** Judges whether a name indicates a secret: `DB_PASSWORD` and `apiKey` do, `token_count` does not. */

/** `password`: secret even if it is a plain word. `token`: secret if it looks machine-made. */
export type Strength = 'password' | 'token';

export interface SecretName {
  readonly strength: Strength;
  readonly type: string;
  /** The decisive word comes last: `JWT_SECRET`, not `SECRET_BACKEND`. */
  readonly final: boolean;
}

const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

// The word before `key` decides whether it is secret: an api key is, a primary key is not.
const KEY_OWNER =
  set(`api access private secret auth account encryption encrypt crypt signing sign master license storage
  shared service admin app application client session deploy hmac webhook jwt rsa ssh ssl tls consumer root integration
  server signature authenticator totp otp unseal recovery bot gateway webhook write ingest instrumentation subscription function user team project db dd gpg pgp cookie base`);
const PASS_OWNER =
  set(`db database smtp mail email user admin root ftp sftp redis mysql mariadb pg postgres mongo rabbitmq
  proxy basic auth http https ssh login my ldap imap account keystore rpc wifi vpn default become sudo vnc rabbit`);

// After the decisive word, these mean that the value itself is not secret.
const ABOUT =
  set(`name names id ids url uri path paths file files filename dir folder type types length len size sizes count
  counts counter limit limits expiry expires expired expiration expire ttl at in age field fields label labels placeholder
  hint error errors message msg policy policies regex regexp pattern prefix suffix header headers param params strategy
  provider issuer endpoint host port version versions algorithm alg format kind enabled disabled required valid invalid
  validation validator visible strength min max budget usage usages used index position offset start end ref refs store
  manager service helper class backend engine bucket buckets rate cost price window var variable column input form page
  screen link button title text description desc status state mode method source checker check rule rules schema
  interface model props option options config strings settings arn fingerprint thumbprint parallelism selector mask masked scope
  scopes list map updated created changed handler callback cache stream parser generator filter guard middleware
  controller repository response request event reset rotation sock socket agent ring chain board code color colors bits
  provided given manager reader writer by rounds round`);
// Before it, these mean the same: max tokens, public key, forgot password.
const NOT_SECRET_BEFORE = set(`max min num number total count public pub completion
  cached reasoning remaining estimated eos bos pad unk sep cls continuation cancel cancellation
  foreign partition idempotency forgot hide toggle has is no without needs require requires invalid missing wrong bad`);
// Only right before it: `next token` and `shortcut key`, but `SHORTCUT_API_TOKEN` and `NEXT_AUTH_SECRET` are secrets.
const NOT_SECRET_RIGHT_BEFORE = set(
  `input output next prev prompt stop mask page sync primary sort cache shortcut hot design syntax color theme show`,
);

const PASSWORD_WORD =
  /^(?:\w*passw(?:or)?ds?\d*|\w*passwort\d*|\w*passphrases?|\w*passcodes?|\w{0,8}pwd|pw|(?:bind|root|admin|user|db|ldap|ftp|smtp)pw|(?:require|store|key|root|admin|user|db|smtp|ftp|mail|imap|my|sql|ldap|sudo|become|login|default|http|proxy|ssh|vnc|wifi|auth|mongo|redis|pg|mysql|trust|server|client|export|import|src|dest|p12)pass|masterauth|wachtwoord|contrasena|motdepasse|senha|kennwort)$/;
const TOKEN_WORD =
  /^(?:\w*secrets?\d*|\w*token\d*|\w*credentials?|creds|auth|mnemonic|connectionstring|connstr)$/;
const KEY_RUN_TOGETHER =
  /^\w*(?:api|access|private|secret|account|encryption|signing|master|auth|service)keys?\d*$/;
const MAX_NAME = 96; // longer runs are text, not names

/** A part of every secret name, to find candidates. */
export const NAME_HINTS: readonly string[] =
  `pass|pwd|pw|psk|secret|token|cred|_auth|masterauth|"auth"|'auth'|key|api key|access key|salt|
  private key|secret key|license key|account key|unseal key|signing key|secret access key|mnemonic|phrase|seed|wallet|recovery|_otp|_pat|
  wachtwoord|contrasena|senha|kennwort|connstr|conn str|conn_str|conn-str|connectionstr|connection str|connection_str|
  connection-str`
    .split('|')
    .map((hint) => hint.trim());

const MAX_KNOWN = 4096;
const known = new Map<string, SecretName | undefined>();

/** Returns undefined if the name does not indicate a secret. */
export function secretName(name: string): SecretName | undefined {
  if (name.length > MAX_NAME) return undefined;
  if (known.has(name)) return known.get(name);
  if (known.size >= MAX_KNOWN) known.clear();
  const judged = judge(name);
  known.set(name, judged);
  return judged;
}

function judge(name: string): SecretName | undefined {
  const words = wordsOf(name);
  let last = -1;
  let isPassword = false;
  for (const [i, word] of words.entries()) {
    const strength = strengthOf(word, words[i - 1]);
    if (strength === undefined) continue;
    last = i;
    isPassword ||= strength === 'password';
  }
  if (last < 0) return undefined;
  const after = words.slice(last + 1);
  if (words[last] === 'pw' && after.length > 0) return undefined;
  if (words[last] === 'pass' && /^(?:through|thru|by|over|fail|rate|ed)$/.test(after[0] ?? ''))
    return undefined;
  if (after.some((word) => ABOUT.has(word))) return undefined;
  const before = words.slice(0, last);
  if (before.some((word) => NOT_SECRET_BEFORE.has(word))) return undefined;
  if (NOT_SECRET_RIGHT_BEFORE.has(before.at(-1) ?? '')) return undefined;
  return {
    strength: isPassword ? 'password' : 'token',
    type: isPassword ? 'password' : typeOf(words[last] ?? ''),
    final: after.length === 0,
  };
}

/** `dbPassword`, `DB_PASSWORD` and `db-password` are the same two words. */
export function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

function strengthOf(word: string, before: string | undefined): Strength | undefined {
  if (PASSWORD_WORD.test(word)) return 'password';
  if (word === 'pass') return before === undefined || PASS_OWNER.has(before) ? 'password' : 'token';
  if (word === 'word') return before === 'pass' ? 'password' : undefined;
  if (/^keys?\d*$/.test(word)) return before !== undefined && KEY_OWNER.has(before) ? 'token' : undefined;
  if (word === 'string' || word === 'str')
    return before === 'connection' || before === 'conn' ? 'token' : undefined;
  if (word === 'phrase') return /^(?:seed|pass|recovery|secret)$/.test(before ?? '') ? 'password' : undefined;
  if (word === 'seed')
    return /^(?:otp|totp|hotp|mfa|wallet|2fa|secret)$/.test(before ?? '') ? 'token' : undefined;
  if (word === 'pat') return before === undefined ? undefined : 'token';
  if (word === 'salt') return before === undefined ? undefined : 'token';
  if (word === 'psk') return 'password';
  if (word === 'otp') return 'token';
  return TOKEN_WORD.test(word) || KEY_RUN_TOGETHER.test(word) ? 'token' : undefined;
}

function typeOf(word: string): string {
  if (word.includes('token') || word === 'auth') return 'token';
  if (word.includes('cred')) return 'credential';
  if (word.includes('key')) return 'api-key';
  return 'secret';
}

/** Letters, digits, `_`, `-`, `.` */
export function isNameChar(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 45 ||
    code === 46
  );
}
