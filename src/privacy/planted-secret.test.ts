/** Every format of the planted-secret corpus, in its own texts and in random ones, is gone after redaction. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plantedSecrets, seeded, type PlantedSecret } from '../../test/corpus/secrets.ts';
import { issuers } from './detectors/issuers.ts';
import { redactDeep } from './redact-deep.ts';
import { redact } from './redact.ts';
import { RULES } from './detectors/rules.ts';

const SEEDS = process.env['TIDEMARK_TEST_LONG'] === '1' ? 200 : 8;
const MIN_FORMATS = 60;

const WRAPPERS: readonly ((secret: string) => string)[] = [
  (s) => `const client = connect("${s}");`,
  (s) => `fetch(url, { method: 'POST', value: '${s}' })`,
  (s) => `// was: ${s}`,
  (s) => JSON.stringify({ a: 1, value: s, b: [s] }),
  (s) => JSON.stringify({ out: JSON.stringify({ value: s }) }),
  (s) => JSON.stringify(JSON.stringify(JSON.stringify([s]))),
  (s) => `export FOO=${s}\nexport BAR=1`,
  (s) => `curl -H "X-Thing: ${s}" https://x.test`,
  (s) => `echo ${s} | tee out.txt && ls`,
  (s) => `| name | ${s} | ok |`,
  (s) => `> quoted\n> ${s}\n`,
  (s) => `**${s}** and (\`${s}\`)`,
  (s) => `stdout:\\n${s}\\nexit 0`,
  (s) => `https://x.test/cb?a=1&b=${s}&c=2`,
  (s) => (encodeURIComponent(s) === s ? encodeURIComponent(`{"v":"${s}"}`) : s),
  (s) => `<value>${s}</value>`,
  (s) => `12:01:33 ERROR request failed (${s}), retrying`,
  (s) => `\u0000\ud800${s}\udfff`,
];

const FILLERS = [
  'The build passes now; next is the cache key.',
  'if (a < b && c) { return { password: undefined }; }',
  'commit 3f786850e387550fdab836ed7e6dc881de23001b',
  '"integrity": "sha512-Zk9v+Q==",',
  'id 123e4567-e89b-12d3-a456-426614174000',
  '',
];

test(`the corpus has at least ${MIN_FORMATS} formats`, () => {
  assert.ok(new Set(plantedSecrets(1).map((planted) => planted.type)).size >= MIN_FORMATS);
});

test('the same seed gives the same secrets, another seed others', () => {
  assert.deepEqual(plantedSecrets(7), plantedSecrets(7));
  assert.notDeepEqual(plantedSecrets(7), plantedSecrets(8));
});

test('a planted secret is gone from the texts it occurs in', () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    for (const planted of plantedSecrets(seed)) {
      for (const context of planted.contexts) assertGone(planted, context);
    }
  }
});

test('a secret with a shape of its own is gone from any text', () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = seeded(seed);
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
    for (const planted of plantedSecrets(seed).filter((one) => one.bare)) {
      const wrapped = pick(WRAPPERS)(planted.secret);
      assertGone(planted, `${pick(FILLERS)}\n${wrapped}\n${pick(FILLERS)}`);
    }
  }
});

test('all planted secrets in one text are gone together', () => {
  const planted = plantedSecrets(3).filter(
    (one) => !one.contexts.some((context) => /private *>/i.test(context)),
  );
  const text = planted.flatMap((one) => one.contexts).join('\n\n');
  const { text: clean } = redact(text);
  for (const one of planted) for (const needle of one.needles) assert.ok(!clean.includes(needle), one.type);
});

test('planted secrets are gone from a JSON value', () => {
  const planted = plantedSecrets(5);
  const { value } = redactDeep({ tool: { output: planted.map((one) => one.contexts) } });
  const clean = JSON.stringify(value);
  for (const one of planted) for (const needle of one.needles) assert.ok(!clean.includes(needle), one.type);
});

function assertGone(planted: PlantedSecret, context: string): void {
  const { text, counts } = redact(context);
  for (const needle of planted.needles) {
    assert.ok(!text.includes(needle), `${planted.type} survives in: ${context.slice(0, 300)}`);
  }
  assert.ok(Object.keys(counts).length > 0);
  assert.equal(redact(text).text, text, `${planted.type}: redacting twice changes: ${text.slice(0, 300)}`);
}

// Values as people and machines make them, drawn again for each seed.
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const ALNUM = `${LETTERS}${LETTERS.toUpperCase()}0123456789`;
const WORDS = 'harbor velvet comet walnut lantern summit ginger pirate otter cobalt meadow rocket'.split(' ');
const PHRASE_WORDS =
  'oblige sibling chapter rebel unique blanket immense ability stadium bicycle echo carbon voyage yellow ivory embark auction quantum coconut glimpse pyramid frozen pigeon tobacco'.split(
    ' ',
  );

interface Values {
  readonly token: string;
  readonly hex: string;
  readonly password: string;
  readonly phrase: string;
}

function valuesOf(seed: number): Values {
  const random = seeded(seed);
  const draw = (alphabet: string, length: number): string =>
    Array.from({ length }, () => alphabet.charAt(Math.floor(random() * alphabet.length))).join('');
  const word = (): string => WORDS[Math.floor(random() * WORDS.length)] ?? '';
  const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
  const year = 2000 + Math.floor(random() * 30);
  const password = [
    `${capitalized(word())}${capitalized(word())}${year}!`,
    `${capitalized(word())}_${word()}${year}`,
    `${word()}${10 + Math.floor(random() * 90)}${word()}`,
    `${draw(ALNUM, 8)}?${draw(ALNUM, 6)}7`,
  ][seed % 4] as string;
  return {
    token: `${draw(ALNUM, 15)}4x${draw(ALNUM, 15)}`,
    hex: `a4${draw('0123456789abcdef', 38)}`,
    password,
    phrase: PHRASE_WORDS.slice(0, seed % 2 === 0 ? 12 : 24).join(' '),
  };
}

const CLASSES: Readonly<
  Record<string, readonly ((values: Values) => readonly [text: string, secret: string])[]>
> = {
  'name and value pairs': [
    ({ password: p }) => [`env:\n- name: DB_PASSWORD\n  value: ${p}\n- name: LOG\n  value: debug`, p],
    ({ hex: h }) => [`{\n  "name": "ADMIN_TOKEN",\n  "value": "${h}"\n}`, h],
    ({ token: t }) => [`[{"Key":"SESSION_SECRET","Value":"${t}"}]`, t],
    ({ token: t }) => [`{"value":"${t}","name":"API_KEY"}`, t],
    ({ password: p }) => [`<add key="SmtpPassword" value="${p}" />`, p],
    ({ password: p }) => [`<key>Password</key>\n<string>${p}</string>`, p],
    ({ password: p }) => [`variable "db_password" {\n  type = string\n  default = "${p}"\n}`, p],
  ],
  'Kubernetes Secret': [
    ({ password: p }) => [`apiVersion: v1\nkind: Secret\ndata:\n  admin: ${btoa(p)}\ntype: Opaque`, btoa(p)],
    ({ password: p }) => [`data:\n  admin: ${btoa(p)}\nkind: Secret`, btoa(p)],
    ({ token: t }) => [`{"kind":"Secret","stringData":{"x":"${t}"}}`, t],
  ],
  Markdown: [
    ({ token: t }) => [`**API key:** ${t}`, t],
    ({ password: p }) => [`- **Password**: \`${p}\``, p],
    ({ password: p }) => [`| Field | Value |\n|---|---|\n| Password | ${p} |`, p],
    ({ token: t }) => [`## API key\n\n\`\`\`\n${t}\n\`\`\``, t],
    ({ password: p }) => [`<b>Password:</b> ${p}<br>`, p],
  ],
  tables: [
    ({ password: p }) => [`id,user,password\n1,anna,${p}\n2,ben,x`, p],
    ({ token: t }) => [`"name","api_key"\n"worker","${t}"`, t],
    ({ password: p }) => [`user\tpasswort\nanna\t${p}`, p],
    ({ password: p }) => [` id | password\n----+---------\n  1 | ${p}\n(1 row)`, p],
    ({ token: t }) => [`┌──────┬───────┐\n│ name │ token │\n├──────┼───────┤\n│ a    │ ${t} │`, t],
    ({ token: t }) => [`NAME    TOKEN       AGE\nmailer  ${t}  12d`, t],
  ],
  'next line': [
    ({ password: p }) => [`Password:\n${p}`, p],
    ({ hex: h }) => [`API key:\n${h}\n`, h],
    ({ token: t }) => [`const authToken =\n  '${t}';`, t],
    ({ password: p }) => [`Here are the credentials:\nanna@mail.test\n${p}`, p],
  ],
  wrapped: [
    ({ token: t }) => [`API_TOKEN=${t.slice(0, 16)}\n${t.slice(16)}\n`, t.slice(16)],
    ({ token: t }) => [`api_token = "${t.slice(0, 16)}" +\n  "${t.slice(16)}"`, t.slice(16)],
    ({ token: t }) => [`export API_TOKEN=${t.slice(0, 16)}\\\n${t.slice(16)}`, t.slice(16)],
    ({ token: t }) => [
      `key ${['npm', '_'].join('')}${t.slice(0, 16)}\n  ${t.slice(10, 32)}a1B2c3`,
      t.slice(10, 32),
    ],
  ],
  encoded: [
    ({ password: p }) => [`echo ${btoa(`DB_PASSWORD=${p}`)} | base64 -d`, btoa(`DB_PASSWORD=${p}`)],
    ({ token: t }) => [
      `{"data":"${btoa(`API_TOKEN=${t}\n`)}","encoding":"base64"}`,
      btoa(`API_TOKEN=${t}\n`),
    ],
    ({ password: p }) => [`Authorization: Basic ${btoa(`anna:${p}`)}`, btoa(`anna:${p}`)],
  ],
  prompts: [
    ({ hex: h }) => [`AWS Secret Access Key [None]: ${h}`, h],
    ({ password: p }) => [`[sudo] password for anna: ${p}`, p],
    ({ token: t }) => [`Enter token: ${t}`, t],
  ],
  files: [
    ({ password: p }) => [`db.test:6543:app:anna:${p}`.replace('6543', '5432'), p],
    ({ password: p }) => [`*:*:*:anna:${p}`, p],
    ({ password: p }) => [`machine api.test\nlogin anna\npassword ${p}`, p],
    ({ password: p }) => [`[client]\nuser=anna\npassword=${p}`, p],
    ({ password: p }) => [`requirepass ${p}`, p],
  ],
  commands: [
    ({ password: p }) => [`az login -u app -p ${p} --tenant x`, p],
    ({ password: p }) => [`echo '${p}' | sudo -S reboot`, p],
    ({ password: p }) => [`keytool -storepass ${p} -list`, p],
    ({ password: p }) => [`7z x a.7z -p${p}`, p],
    ({ password: p }) => [`xfreerdp /u:anna /p:${p}`, p],
    ({ token: t }) => [`gh secret set API_KEY --body "${t}"`, t],
    ({ password: p }) => [`["redis-server", "--requirepass", "${p}"]`, p],
  ],
  speech: [
    ({ password: p }) => [`the password is ${p}`, p],
    ({ password: p }) => [`pw: ${p}`, p],
    ({ token: t }) => [`use this token ${t}`, t],
    ({ password: p }) => [`log in as anna with password ${p} please`, p],
    ({ password: p }) => [`try ${p} as the password`, p],
    ({ password: p }) => [`the admin password on staging is ${p}`, p],
    ({ token: t }) => [`set DEEPGRAM_API_KEY to ${t} in CI`, t],
    ({ password: p }) => [`creds are anna:${p}`, p],
  ],
  languages: [
    'das Passwort lautet X',
    'le mot de passe est X',
    'la contraseña es X',
    'a senha é X',
    'la password è X',
    'het wachtwoord is X',
    'hasło to X',
    'пароль: X',
    'пароль это X',
    'şifre: X',
    'lösenordet är X',
    'adgangskoden er X',
    'passordet er X',
    'salasana on X',
    'heslo je X',
    'a jelszó: X',
    'parola este X',
    'パスワードは X です',
    '密码是X',
    '密碼：X',
    '비밀번호는 X 입니다',
    'كلمة المرور هي X',
    'पासवर्ड X है',
    'kata sandi adalah X',
    'mật khẩu là X',
    'ο κωδικός είναι X',
    'รหัสผ่านคือ X',
  ].map(
    (text) =>
      ({ password: p }: Values) =>
        [text.replace('X', p), p] as const,
  ),
  'seed phrases': [
    ({ phrase: s }) => [`my seed phrase is ${s}`, s],
    ({ phrase: s }) => [s, s],
    ({ phrase: s }) => [`const words = "${s}".split(' ');`, s],
    ({ phrase: s }) => [
      s
        .split(' ')
        .map((word, i) => `${i + 1}. ${word}`)
        .join('\n'),
      '2. sibling\n3. chapter',
    ],
    ({ phrase: s }) => [JSON.stringify(s.split(' ')), '"chapter","rebel"'],
  ],
  URLs: [
    ({ password: p }) => [`redis://:${encodeURIComponent(p)}@cache.test:6379/0`, encodeURIComponent(p)],
    ({ hex: h }) => [`https://x.test/hook?key=${h}`, h],
    ({ token: t }) => [`https://x.test/f?Expires=1&Signature=${t}`, t],
    ({ token: t }) => [`https://maker.ifttt.com/trigger/x/with/key/${t}`, t],
    ({ token: t }) => [`git+https://${t}@git.test/x.git`, t],
    ({ password: p }) => [`DB_DSN=anna:${p.replace('?', '')}@tcp(db:3306)/x`, p.replace('?', '')],
  ],
};

for (const [name, texts] of Object.entries(CLASSES)) {
  test(`redaction finds secrets in ${name}`, () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      for (const make of texts) {
        const [text, secret] = make(valuesOf(seed));
        const once = redact(text).text;
        assert.ok(!once.includes(secret), `survives in: ${text}`);
        assert.equal(redact(once).text, once, `redacting twice changes: ${text}`);
      }
    }
  });
}

test('every prefix of the table is found in plain text', () => {
  const random = seeded(11);
  for (const { type, prefixes, body } of issuers()) {
    const hex = body.source.startsWith('[0-9a-f');
    const lower = body.source.startsWith('[a-z');
    const upper = body.source.startsWith('[A-Z0');
    const alphabet = hex
      ? '0123456789abcdef'
      : lower
        ? ALNUM.toLowerCase()
        : upper
          ? ALNUM.toUpperCase()
          : ALNUM;
    const length = Number(/\{(\d+)/.exec(body.source)?.[1]);
    for (const prefix of prefixes) {
      const tail = Array.from({ length }, (_, i) =>
        i % 5 === 3
          ? String(Math.floor(random() * 10))
          : alphabet.charAt(Math.floor(random() * alphabet.length)),
      ).join('');
      const { text } = redact(`the request used ${prefix}${tail} and failed`);
      assert.ok(!text.includes(tail), `${type}: ${prefix}${tail}`);
    }
  }
});

test('the tables have at least 200 formats of issuers', () => {
  const types = new Set([...issuers(), ...RULES].map(({ type }) => type));
  assert.ok(types.size >= 200, String(types.size));
});
