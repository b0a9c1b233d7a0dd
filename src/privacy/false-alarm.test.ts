/** Text that looks a little like a secret and is none: it must come out as it went in. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redact } from './redact.ts';

const HARMLESS: readonly string[] = [
  'commit 3f786850e387550fdab836ed7e6dc881de23001b',
  'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  '"integrity": "sha512-Lk0sMEb9YfQh3sVvGfnbJrSUbZkOKnzbLVxC1J3lI0bq0mYEU6uN0wuPGZhiFhP3nXOyQZ2oTz0xk4PjSjKXwA==",',
  '  integrity sha1-Z29us8OZl8LuGsOpJP1hJHSPV40=',
  '    resolution: {integrity: sha512-VqA1nPcKfW0N8O+7ZkKf3lEvkR9mZk4pH5Hn1o7Y6HkzZVn5CkzJp1lQbYk3rGk7O0xKk1tF7vL9xk8A3m2Q0g==}',
  'id: 123e4567-e89b-12d3-a456-426614174000',
  'const token = getToken()',
  'const token = await getToken(user.id);',
  'password: string',
  'password: string;',
  '  password?: string | null;',
  'apiKey: process.env.API_KEY',
  'apiKey: process.env.API_KEY,',
  'token: ${token}',
  'TOKEN=$GITHUB_TOKEN',
  'TOKEN="${GITHUB_TOKEN:-}"',
  'GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}',
  'password = None',
  'password=None,',
  'API_KEY=your-api-key-here',
  'api_key: "YOUR_API_KEY"',
  'token: xxxxxxxxxxxxxxxx',
  'Authorization: Bearer <token>',
  'Authorization: Bearer ${token}',
  'Authorization: Bearer $TOKEN',
  'password: ********',
  'password: example',
  'color: #ff00aa; background: #deadbeef',
  "import { token } from './token.ts';",
  "import { createHash } from 'node:crypto';",
  'secretName: my-app-tls',
  'imagePullSecrets: [{ name: registry-credentials }]',
  '  - secretRef: { name: app-secrets }',
  'max_tokens: 4096',
  '"input_tokens": 12345, "output_tokens": 678',
  'tokenizer: "cl100k_base"',
  'if (token === expectedToken) return true;',
  "if (password.length < 8) throw new Error('Password too short');",
  'const password = req.body.password;',
  'this.token = options.token;',
  'self.password = password',
  'def login(username: str, password: str) -> Token:',
  'fn auth(token: &str) -> Result<Token>',
  'user.setPassword(newPassword)',
  'token_type: "Bearer"',
  '<input type="password" name="password" id="password" />',
  '"password": "Password must be at least 8 characters."',
  '"forgotPassword": "Forgot your password?"',
  "passwordPlaceholder: 'Enter your password'",
  "const KEY = 'theme-preference-v2';",
  "primaryKey: 'user_id_2024'",
  'cacheKey = `user:${id}:v2`',
  'https://github.com/owner/repo/commit/3f786850e387550fdab836ed7e6dc881de23001b',
  'https://cdn.example.com/assets/main.4f9d8a7b2c.js',
  '/usr/lib/node_modules/npm/bin/npm-cli.js',
  'node_modules/.pnpm/@babel+core@7.24.0/node_modules/@babel/core',
  'version: 1.2.3-beta.4+build.567',
  'function a(b,c){return b.t0k3n?c:d(e,f)}',
  'git@github.com:owner/repo.git',
  'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7 user@host',
  'https://unpkg.com/react@18.2.0/umd/react.production.min.js:1:234',
  'http://localhost:3000/users/@me',
  'ENV NODE_VERSION=22.13.0',
  'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin',
  'PWD=/srv/app/current',
  'SSH_AUTH_SOCK=/tmp/ssh-XXXX/agent.123',
  '-----BEGIN CERTIFICATE-----',
  '-----BEGIN PUBLIC KEY-----',
  'pod/web-7d4b9c6f5d-x2x9z',
  'Basic authentication is required',
  'Bearer authentication-scheme-required',
  'the secret is to keep functions small',
  'docker run -p 8080:80 -u 1000:1000 nginx',
  'mysql -u root -p mydb',
  'The token is expired',
  'password reset link',
  '# pass 123',
  'throw new Error("Invalid token: " + token)',
  "logger.info('token refreshed', { userId })",
  "expect(token).toBe('abc')",
  'postgres://user:password@localhost:5432/db',
  'postgres://${DB_USER}:${DB_PASSWORD}@${DB_HOST}/app',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
  'BUILD_ID=20240115.3',
  'SOURCE_COMMIT=3f786850e387550fdab836ed7e6dc881de23001b',
  'GOPROXY=https://proxy.golang.org,direct',
  'NODE_OPTIONS=--max-old-space-size=4096',
  'golang.org/x/crypto v0.17.0 h1:r8bRNjWL3GshPW3gkd+RpvzWrZAwPS49OmTGZ/uhM4k=',
  'secrets: inherit',
  "with: { token: '${{ github.token }}' }",
  'export type Credentials = { username: string; password: string };',
  "credentials: 'include'",
  'credentials: "same-origin",',
  'withCredentials: true',
  "{ token: 'keyword.operator', foreground: '569cd6' }",
  'TOKEN_EXPIRY_SECONDS=3600',
  'SECRET_NAME=my-app/prod',
  'private_key_path: /etc/ssl/private/server.key',
  'publicKey: "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE="',
  'className="text-sm font-medium text-gray-900 hover:text-blue-500"',
  // Seen in real code while the rules were made.
  'self._passphrase = passphrase',
  '    if password is None:',
  'AttributeOID.CHALLENGE_PASSWORD: "challengePassword",',
  "CLIENT_AUTH = '1.3.6.1.5.5.7.3.2'",
  "user_pass = '%s:%s' % (user, secret)",
  'this._noAuthorization = !req.headers.authorization;',
  '  - Token: gho_************************************',
  'OP_PKCS1_CHECK_1 = _lib.SSL_OP_PKCS1_CHECK_1',
  "const USE_CREDENTIALS = 'use-credentials'",
  'const TOKEN = /^(?:[\\w-]+)$/;',
  'amortized (a full in-order pass is O(n) rather than',
  ':type passphrase: :py:data:`bytes`',
];

for (const line of HARMLESS) {
  test(`left alone: ${line.trim().slice(0, 70)}`, () => {
    assert.equal(redact(line).text, line);
    assert.equal(redact(`before\n${line}\nafter`).text, `before\n${line}\nafter`);
  });
}

test('the list is long enough to mean something', () => {
  assert.ok(HARMLESS.length >= 60);
});

test('a lock file comes out as it went in', () => {
  const hash = 'Lk0sMEb9YfQh3sVvGfnbJrSUbZkOKnzbLVxC1J3lI0bq0mYEU6uN0wuPGZhiFhP3nXOyQZ2oTz0xk4PjSjKXwA==';
  const lock = JSON.stringify(
    {
      packages: {
        'node_modules/js-tokens': {
          version: '4.0.0',
          resolved: 'https://registry.npmjs.org/js-tokens/-/js-tokens-4.0.0.tgz',
          integrity: `sha512-${hash}`,
        },
      },
    },
    null,
    2,
  );
  assert.equal(redact(lock).text, lock);
  assert.equal(redact(JSON.stringify(lock)).text, JSON.stringify(lock));
});
