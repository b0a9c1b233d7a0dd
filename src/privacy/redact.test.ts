import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seeded } from '../../test/corpus/secrets.ts';
import { redact } from './redact.ts';

const clean = (text: string): string => redact(text).text;
const DASHES = '-'.repeat(5);
const BEGIN = `${DASHES}BEGIN PRIVATE KEY${DASHES}`;
const END = `${DASHES}END PRIVATE KEY${DASHES}`;
const githubToken = ['gh', 'p_', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('');

test('a secret becomes a placeholder that names its type, and is counted', () => {
  const { text, counts } = redact(`A=${githubToken}\nDB_PASSWORD=hunter2\nB=${githubToken}`);
  assert.equal(text, 'A=[redacted:github-token]\nDB_PASSWORD=[redacted:password]\nB=[redacted:github-token]');
  assert.deepEqual(counts, { 'github-token': 2, password: 1 });
});

test('after a name of two words even a key that looks like an identifier is one; a short word is not', () => {
  assert.equal(clean('API key: UouOvtxtjoum06'), 'API key: [redacted:api-key]');
  assert.equal(clean('my API key: UouOvtxtjoum06 works'), 'my API key: [redacted:api-key] works');
  assert.equal(clean('The access key: version2 of it'), 'The access key: version2 of it');
});

test('a text without secrets comes back as it is, with nothing counted', () => {
  assert.deepEqual(redact('nothing to see'), { text: 'nothing to see', counts: {} });
});

test('what stands around a secret stays', () => {
  assert.equal(
    clean('{"user":"a","password":"hunter2","port":1}'),
    '{"user":"a","password":"[redacted:password]","port":1}',
  );
  assert.equal(
    clean('postgres://app:hunter2@db:5432/main'),
    'postgres://app:[redacted:connection-password]@db:5432/main',
  );
  assert.equal(clean('curl -u me:hunter2 https://x.test'), 'curl -u me:[redacted:basic-auth] https://x.test');
  assert.equal(
    clean('PORT=1\nSMTP_PASS=hunter2 # mail\nX=2'),
    'PORT=1\nSMTP_PASS=[redacted:password] # mail\nX=2',
  );
});

test('names speak of a secret in every notation', () => {
  for (const text of [
    'PASSWORD="correct horse battery staple"',
    "String password = 'geheim';",
    'password: "correct horse battery staple"',
    'let token: &str = "abcdef123456";',
    'os.environ["API_KEY"] = "zxcv98765"',
    "CREATE USER x WITH PASSWORD 'geheim1';",
    'kubectl create secret generic x --from-literal=password=S3cr3t',
    'spring.datasource.password=topsecret',
    '{\\"clientSecret\\": \\"zxcv98765\\"}',
    'password: |\n  zxcv98765\n',
    "x='oauth_token=lsdkfol23w54jlksdef&a=1'",
    'mysql -uroot -pS3cr3tx db',
    'redis-cli -a s3cr3tpw ping',
    'password="unterminated12',
    'SECRET=!Summer24',
    'DB_PASS=$ecret!9',
    'mysql://root:p@ss/w0rd@db/main',
  ]) {
    assert.match(clean(text), /\[redacted:/, text);
    assert.doesNotMatch(
      clean(text),
      /horse|geheim|zxcv|abcdef1|S3cr3t|topsecret|lsdk|s3cr3t|untermi|Summer|ecret!9|w0rd/,
      text,
    );
  }
});

test('a value longer than any bound is taken whole', () => {
  const long = 'aB3'.repeat(5000);
  assert.equal(clean(`API_TOKEN=${long} next`), 'API_TOKEN=[redacted:token] next');
  assert.doesNotMatch(clean(`{"api_token": "${long}"}`), /aB3/);
});

test('a private span is hidden whatever its case, white space or attributes', () => {
  assert.equal(clean('a <private>x</private> b'), 'a [redacted:private] b');
  assert.equal(clean('a <PRIVATE>x</Private> b'), 'a [redacted:private] b');
  assert.equal(clean('a < private why="y" >x\ny</ private > b'), 'a [redacted:private] b');
  assert.equal(clean('a &lt;private&gt;x&lt;/private&gt; b'), 'a [redacted:private] b');
  assert.equal(clean('a \\u003cprivate\\u003ex\\u003c/private\\u003e b'), 'a [redacted:private] b');
});

test('nested private spans end with the outer one', () => {
  assert.equal(clean('a <private>x<private>y</private>z</private> b'), 'a [redacted:private] b');
});

test('an unclosed private span hides all that follows', () => {
  assert.equal(clean('a <private>x\ny z'), 'a [redacted:private]');
  assert.equal(clean('a <private'), 'a [redacted:private]');
});

test('a private span whose beginning was cut away hides all that came before', () => {
  assert.equal(clean('x y</private> b'), '[redacted:private] b');
});

test('a tag that only begins like private is none', () => {
  assert.equal(clean('<privateer>x</privateer> <private-key>'), '<privateer>x</privateer> <private-key>');
});

test('a certificate and a public key stay', () => {
  const certificate = `${DASHES}BEGIN CERTIFICATE${DASHES}\nMIIB\n${DASHES}END CERTIFICATE${DASHES}`;
  assert.equal(clean(certificate), certificate);
  assert.equal(clean(`cert: ${btoa(certificate)}`), `cert: ${btoa(certificate)}`);
});

test('text after a key that was cut off stays', () => {
  assert.equal(
    clean(`${BEGIN}\n${'aB3+'.repeat(16)}\n\nThat is all I have.`),
    '[redacted:private-key]\n\nThat is all I have.',
  );
});

test('placeholders are never redacted again', () => {
  const text =
    'PASSWORD=[redacted:password] "token": "[redacted:token]" https://a:[redacted:x]@h Bearer [redacted:jwt]';
  assert.deepEqual(redact(text), { text, counts: {} });
});

test('random text never makes it throw, and redacting twice is redacting once', () => {
  const signs = '=  "\':\\ \n\t<>{}[]()&?%;,.-_@/#$|`→é'.split('');
  const words =
    'password token= API_KEY secret: <private> </private> Bearer https:// eyJ [redacted:x] hunter2 a1B2c3D4 %22 %3D \\n \\" -- export is Cookie: a= curl -u AccountKey= xoxb-1 | , \\n password\\n kind: Secret data: name: value: DB_PASSWORD Sommer2024! is pw: 密码 是 пароль seed phrase base64 -d Harbor_comet2019 apple cGFzc3dvcmQ9aHVudGVyMg== sk_ -p login key';
  const pieces = [...signs, ...words.split(' '), ' ', BEGIN, END, githubToken, '\ud800', '\u0000', '😀'];
  for (let seed = 1; seed <= 3000; seed++) {
    const random = seeded(seed);
    const length = 1 + Math.floor(random() * 40);
    const text = Array.from({ length }, () => pieces[Math.floor(random() * pieces.length)]).join('');
    const once = redact(text).text;
    assert.equal(redact(once).text, once, JSON.stringify(text));
    assert.ok(!once.includes(githubToken), JSON.stringify(text));
  }
});

// No clock here: an expression that backtracks would keep each of these busy for hours.
test('a megabyte made to hurt takes no longer than any other', () => {
  const pieces = [
    'a',
    '=',
    'eyJ',
    'eyJ_',
    '<private',
    '</private>',
    '< ',
    '"',
    '\\',
    'token:',
    'cookie: a=',
    'password="',
  ];
  const layouts = [
    '| password ',
    'password ',
    'a,b,password\n',
    'name: DB_PASSWORD ',
    'kind: Secret\ndata:\n a: b\n',
    '"kind":"Secret","data":{',
    'seed phrase is ',
    'apple tree ',
    '1. apple\n',
    '"apple", ',
    'cGFzc3dvcmQ9',
    'Password:\n\n',
    '密码是',
    'passphrase → ',
    'ghp_a\n',
    'password = "a" + ',
    '7z -p',
    '==',
  ];
  const marks = [BEGIN, END, '://@:', ' -u ', 'A1b2', '%3A%2F%2F', '\ud800'];
  for (const piece of [...pieces, ...layouts, ...marks])
    redact(piece.repeat(Math.ceil(1_000_000 / piece.length)));
  redact(`${BEGIN}${' '.repeat(1_000_000)}x`);
  redact(`<${' '.repeat(1_000_000)}`);
});

// The same for a word that makes a detector look at what follows it.
test('a word for a secret before a run made to hurt costs no more than before another text', () => {
  const heads = [
    'password ',
    'DB_PASSWORD=',
    'name: DB_PASSWORD\n',
    'passphrase: ',
    '| password | ',
    'password,',
    'creds are ',
  ];
  const runs = [
    '=',
    '\\"',
    '\\',
    'a',
    'aA',
    'A',
    '-',
    '*',
    '&quot;',
    'a.',
    '1.',
    '@',
    '<b>',
    ', ',
    ' a',
    '"+"',
    '密',
    '${',
    'a:',
    '"a", ',
  ];
  for (const head of heads) {
    for (const run of runs) for (const end of ['', '!', '\n']) redact(`${head}${run.repeat(2000)}${end}`);
  }
});

test('several recovery codes below their title are redacted together', () => {
  assert.equal(
    clean('Backup codes:\n1234-5678\n8765-4321\n\nKeep them.'),
    'Backup codes:\n[redacted:password]\n\nKeep them.',
  );
});
