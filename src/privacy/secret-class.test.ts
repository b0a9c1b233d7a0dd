/** Classes of planted secrets: each line shows one way to write a secret down. The value in `«…»` must be gone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redactDeep } from './redact-deep.ts';
import { redact } from './redact.ts';

const HEX = 'e9268f5393632b93efd6aab4d45b201fd49c946b';
const UUID = '9f00f7b8-bc19-42b8-875c-c5ebb97bac70';
const BASE62 = 'TqNxe7Bwr21bLGDCsFSAk8ERPY8qxvswhXJ5CEry';
const BASE64 = 'FO3/GBIBC9zgAxCi/hLwe/QmUZHWFZPEUWS5pUuo';
const SLASH = '/iACeBD4mi9Cm09IiJXZW72RaLDzpn5dopW24LRT';
const BASE32 = '3PJB75KR4L56CYLV2VLRPILDFZYUR6MO';
const DJANGO = '9p%z)h)b-g&7zfo&mtqesd0nkno2)1v8zs_hc5oz(hf0gxm(d@';

const CLASSES: Readonly<Record<string, readonly string[]>> = {
  'environment by index': [
    `os.environ["SHORTCUT_API_TOKEN"] = "«${UUID}»"`,
    `process.env.SHORTCUT_API_TOKEN = '«${UUID}»';`,
    `ENV['HOTJAR_API_KEY'] = '«${UUID}»'`,
    `$_ENV["NEXT_AUTH_SECRET"] = "«${BASE62}»";`,
    `os.Setenv("PAGE_API_TOKEN", "«${UUID}»")`,
    `env::set_var("SORT_ACCESS_TOKEN", "«${UUID}»");`,
    `[Environment]::SetEnvironmentVariable("APP_API_KEY", "«${UUID}»", "User")`,
  ],
  'a word-like value of a strong name': [
    `const authToken = '«falcon-dragon-60»';`,
    `:jwt_secret => "«Marble-blue-67»",`,
    `{"name":"SERVICE_API_KEY","value":"«pirate-lantern-96»"}`,
    `api_key: "«rocket28willow»"`,
    `<entry key="jwt.secret">«harbor-ginger-12»</entry>`,
    `<property name="clientSecret" value="«velvet_tiger_77»"/>`,
    `kubectl create secret generic x --from-literal=api-key=«pirate-lantern-96»`,
    `client_secret = "«Berlin.comet.66»"`,
  ],
  'tokens in text': [
    `Logged in as root (cu_«23405f59855bcbdc15a1f0b04735d8a8»)`,
    `fatal: could not authenticate with NpmToken.«ac532528-fb2e-4397-a9cc-83a08e3b5fdc»`,
    `export const client = createClient('«b_M2cK3LMqo/znaQnuoVWmTwG6GsQwF3N84wRgS6l3Lyp=»');`,
    `* [new branch] miguel/«NKRJmpBzYNd8evAERxLtiK7Gde.Gnzdar.0FDV9gn05HhSLrCvb56ZMZLQ12jlKhzATs7apQ» -> x`,
    `set DJANGO_SECRET_KEY to «${DJANGO}» in the CI settings please`,
    `SECRET_KEY = '«${DJANGO}»'`,
    `**API key:** «XPqxkjQmzIuo_QS6JnNDK2YfUvOkJfswyC04t8u6-sG»`,
    `? What is your API key? «${HEX}»`,
    `? API token › «${UUID}»`,
    `? Enter your license key: … «${BASE62}»`,
  ],
  'passwords with signs of an assignment': [
    '| Field | Value |\n|---|---|\n| User | deploy |\n| Password | «uIQHgzU-=#q1wpMa49» |',
    'Generated password for miguel:\n«tA=H6eX7_pQz9!z8D6k»',
    'The new root password is:\n\n    «tA=H6eX7_pQz9!z8D6k»',
  ],
  'wrapped over lines': [
    'Authorization: Bearer «eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI1\nMzAyODQ1OSIsImlhdCI6MTc5MDAwMDAwMCwicm9sZSI6ImNvY\nmFsdCJ9.SedicPUW5680ohJiIZF3nWeU2Y7RRwClTz8xkMTTc\nzb»',
    `The key is \`«GOCSPX-${'x60BO\nB5DIwsqpSwbN\nm3qcv7Rt9qL'}»\`.`,
    `The key is (\`«GOCSPX-${'x60BO\nB5DIwsqpSwbN\nm3qcv7Rt9qL'}»\`).`,
    `"The key is «GOCSPX-${'x60BO\n  B5DIwsqpSwbN\n  m3qcv7Rt9qL'}»".`,
  ],
  'decoded by a call': [
    `const key = Buffer.from('«Y3VfNzc1NzNhYWNhOGUyOTIwNzhhYzQ0N2RhODQwNWFiZGY=»', 'base64').toString();`,
    `$pw = base64_decode('«Q2FjdHVzLVdpbnRlci0yNQ==»');`,
    `pw, _ := base64.StdEncoding.DecodeString("«Q2FjdHVzLVdpbnRlci0yNQ==»")`,
    `Base64.decode64("«Q2FjdHVzLVdpbnRlci0yNQ==»")`,
  ],
  'name and value as arguments': [
    `rclone config create payments s3 secret_access_key «${BASE62}»`,
    `rclone config create payments s3 secret_access_key «${BASE64}»`,
    `pulumi config set --secret dbPassword «pirate-lantern-96»`,
    `aws configure set aws_secret_access_key «${SLASH}»`,
    `npm config set //registry.acme.dev/:_authToken «${UUID}»`,
    `composer config --global http-basic.repo.acme.dev builder «pirate-lantern-96»`,
    `gcloud secrets create x && heroku config:set API_TOKEN=«pirate-lantern-96»`,
  ],
  'the output of a command that prints a secret': [
    "kubectl get secret mailer -o jsonpath='{.data.password}' | base64 -d; echo\n«Cactus-Winter-25»",
    '$ vault kv get -field=password secret/db\n«Cactus-Winter-25»',
    '$ op read op://dev/db/password\n«Cactus-Winter-25»',
    '$ pass show work/db\n«Cactus-Winter-25»',
    `$ openssl rand -hex 20\n«${HEX}»`,
    `$ gcloud secrets versions access latest --secret=db\n«Cactus-Winter-25»`,
    `$ aws secretsmanager get-secret-value --secret-id db --query SecretString --output text\n«Cactus-Winter-25»`,
    `$ gh auth token\n«${HEX}»`,
    `$ echo $DB_PASSWORD\n«Cactus-Winter-25»`,
    `$ printenv STRIPE_KEY\n«${BASE62}»`,
    `$ heroku config:get SESSION_SECRET\n«Cactus-Winter-25»`,
  ],
  URLs: [
    `HTTPError: 404 for url: https://api.acme.com/geo?appid=«897048b10a9359d0d95eee91078cbe33»&q=Berlin`,
    `https://api.acme.com/geo?appkey=«897048b10a9359d0d95eee91078cbe33»`,
    `https://api.acme.com/v1?subscription-key=«897048b10a9359d0d95eee91078cbe33»`,
    `https://api.acme.com/v1?hapikey=«${UUID}»`,
    `https://api.acme.com/v1?license=«${BASE62}»`,
    `git clone https://«${HEX}»@github.com/acme/app.git`,
    `git clone https://«${BASE62}»@git.acme.dev/app.git`,
    `https://discord.com/api/webhooks/215247909300215247909300/«_M98Nn7M8RWYf0HLidlqOzf6oWRHkBkj71hSLlaj_KtjlgIMT4x3uP95tyU9Al3IQpvQ»`,
    `jdbc:oracle:thin:scott/«pirate-lantern-96»@//db.acme.dev:1521/orcl`,
    `expdp scott/«pirate-lantern-96»@orcl schemas=app`,
  ],
  headers: [
    `Authorization: ApiKey «${SLASH}»`,
    `curl -H 'Authorization: Klaviyo-API-Key «${UUID}»' https://x.test`,
    `"Authorization": "GenieKey «${UUID}»"`,
    `authorization: «${UUID}»`,
    `headers = {'Authorization': 'Splunk «${UUID}»'}`,
    `'Proxy-Authorization': 'Key «${BASE62}»'`,
  ],
  'accounts with a password': [
    `credentials: deploy «harbor-pirate-84»`,
    `Zugangsdaten: builder / «comet-Berlin-66»`,
    `las credenciales son anna y «Vwh_2yW=cjnE-ioG4sXU7n»`,
    `identifiants : anna et «comet-Berlin-66»`,
    `login is admin / «harbor-pirate-84»`,
    `creds are root and «harbor-pirate-84»`,
    `log in with deploy:«harbor-pirate-84»`,
    `const [user, pass] = ['root', '«SommerWinter#37»'];`,
    `const [user, pass] = ['postgres', '«s4turnbiscuit23»'];`,
    `user, password = "root", "«pirate-lantern-96»"`,
    `username, password := "root", "«pirate-lantern-96»"`,
    `(USER, PASSWORD) = ('root', '«pirate-lantern-96»')`,
    `HTTPBasicAuth('builder', '«Sommer-Otter-87»')`,
    `requests.get(url, auth=('builder', '«Sommer-Otter-87»'))`,
    `req.SetBasicAuth("builder", "«Sommer-Otter-87»")`,
    `new NetworkCredential("builder", "«Sommer-Otter-87»")`,
    `new UsernamePasswordCredentials("builder", "«Sommer-Otter-87»")`,
    `http.basic_auth 'builder', '«Sommer-Otter-87»'`,
    `server.login('builder', '«Sommer-Otter-87»')`,
    `BUNDLE_GEMS__08RVB8BI__COM=admin:«L4qe^vTDq!2Jx5Vv6?LM5z»`,
    `bundle config gems.acme.dev admin:«SaturnFalcon2002!»`,
  ],
  spoken: [
    `it asks for a password, just type «pirate-ginger-12»`,
    `it asks for a password, just type «panda78tiger»`,
    `when it wants the passphrase enter «pirate-ginger-12»`,
    `for the db password use «pirate-ginger-12»`,
    `the password? try «pirate-ginger-12»`,
    `my 2FA seed is «${BASE32}»`,
    `TOTP secret: «${BASE32}»`,
    `authenticator key is «JBSW Y3DP EHPK 3PXP»`,
    `backup codes: «8f3k-2m9q» «7h2j-9x4c»`,
    `the backup codes are «48213957», «59310284» and «71930482»`,
    `recovery code «8f3k2-m9q7h»`,
    `the PIN for the door is «4821»`,
    `la clave es «pirate-ginger-12»`,
    `הסיסמה היא «Willow_Marble2019»`,
    `הסיסמה שלי: «pirate-ginger-12»`,
    `كلمة المرور هي «Willow_Marble2019»`,
    `والرمز السري هو «Willow_Marble2019»`,
  ],
  'one-time secrets in commands': [
    `oathtool --totp -b «${BASE32}»`,
    `oathtool -b --totp '«${BASE32}»'`,
    `oathtool --base32 --totp «${BASE32}»`,
  ],
  'private members of a JSON web key': [
    `{"kty":"RSA","n":"abc","e":"AQAB","p":"«${BASE62}»","q":"«${HEX}»","dp":"«${BASE62}x»","qi":"«${BASE62}y»"}`,
    `{"kty":"oct","k":"«${BASE62}»"}`,
    `"{\\"kty\\":\\"oct\\",\\"k\\":\\"«${BASE62}»\\"}"`,
    `{ kty: 'EC', crv: 'P-256', d: '«${BASE62}»' }`,
  ],
};

for (const [name, texts] of Object.entries(CLASSES)) {
  test(name, () => {
    for (const marked of texts) {
      const text = marked.replace(/[«»]/g, '');
      const clean = redact(text).text;
      for (const [, value = ''] of marked.matchAll(/«([^»]*)»/g))
        for (const part of value.split(/\s+/)) assert.ok(!clean.includes(part), `${part} in ${clean}`);
      assert.equal(redact(clean).text, clean);
    }
  });
}

const PASSWORD_WORDS = [
  [
    'password',
    'passphrase',
    'passcode',
    'PIN',
    'Passwort',
    'Kennwort',
    'PIN-Code',
    'contraseña',
    'clave',
    'frase de contraseña',
    'código PIN',
  ],
  [
    'senha',
    'palavra-passe',
    'mot de passe',
    'phrase secrète',
    'code PIN',
    "parola d'ordine",
    'wachtwoord',
    'wagwoord',
    'hasło',
    'пароль',
    'пин-код',
  ],
  [
    'парола',
    'лозинка',
    'lozinka',
    'zaporka',
    'šifra',
    'geslo',
    'heslo',
    'jelszó',
    'parolă',
    'şifre',
    'parol',
    'şifrə',
    'құпиясөз',
    'нууц үг',
  ],
  [
    'lösenord',
    'adgangskode',
    'kodeord',
    'passord',
    'salasana',
    'parool',
    'salasõna',
    'slaptažodis',
    'parole',
    'lykilorð',
    'fjalëkalimi',
  ],
  [
    'κωδικός',
    'contrasenya',
    'contrasinal',
    'pasahitza',
    'pasfhocal',
    'cyfrinair',
    'nenosiri',
    'iphasiwedi',
    'kata sandi',
    'kata laluan',
  ],
  [
    'mật khẩu',
    'パスワード',
    '密码',
    '密碼',
    '비밀번호',
    '암호',
    'รหัสผ่าน',
    'ລະຫັດຜ່ານ',
    'ពាក្យសម្ងាត់',
    'စကားဝှက်',
    'पासवर्ड',
    'পাসওয়ার্ড',
  ],
  [
    'கடவுச்சொல்',
    'పాస్‌వర్డ్',
    'ಪಾಸ್‌ವರ್ಡ್',
    'പാസ്‌വേഡ്',
    'પાસવર્ડ',
    'ਪਾਸਵਰਡ',
    'මුරපදය',
    'پاس ورڈ',
    'رمز عبور',
    'کلمه عبور',
    'گذرواژه',
  ],
  [
    'كلمة المرور',
    'كلمة السر',
    'الرمز السري',
    'סיסמה',
    'הסיסמה',
    'پاسورڈ',
    'პაროლი',
    'գաղտնաբառ',
    'pasvorto',
    'وشەی نهێنی',
  ],
].flat();

test('the word for a password in many languages', () => {
  for (const word of PASSWORD_WORDS)
    for (const text of [`${word}: pirate-ginger-12`, `${word} = Kx7#mPq2vL9`, `${word}: Willow_Marble2019`])
      assert.match(redact(text).text, /\[redacted:/, text);
});

test('the word for a key, a token or credentials in many languages', () => {
  const words = [
    [
      'API-Schlüssel',
      'clave API',
      'clé API',
      'chave de API',
      'chiave API',
      'API-sleutel',
      'klucz API',
      'API ключ',
      'ключ API',
      'API anahtarı',
    ],
    [
      'API-nyckel',
      'API-nøgle',
      'API-nøkkel',
      'API-avain',
      'API klíč',
      'API kľúč',
      'API-kulcs',
      'cheie API',
      'κλειδί API',
      'API キー',
      'API 密钥',
    ],
    [
      'API 金鑰',
      'API 키',
      'مفتاح API',
      'מפתח API',
      'API कुंजी',
      'kunci API',
      'khóa API',
      'คีย์ API',
      'API açarı',
      "clau d'API",
      'API giltza',
    ],
    [
      'API-võti',
      'API atslēga',
      'API raktas',
      'API-lykill',
      'token',
      'jeton',
      'токен',
      'トークン',
      '令牌',
      '토큰',
      'توكن',
      'אסימון',
    ],
    [
      'token de acceso',
      "jeton d'accès",
      'Zugriffstoken',
      'toegangstoken',
      'token dostępu',
      'токен доступа',
      'erişim belirteci',
    ],
    [
      'secreto',
      'segredo',
      'Geheimnis',
      'секрет',
      'hemlighet',
      'hemmelighed',
      'tajemství',
      'gizli anahtar',
      'סוד',
      '비밀키',
    ],
  ].flat();
  for (const word of words)
    for (const text of [`${word}: ${BASE62}`, `${word}: ${HEX}`])
      assert.match(redact(text).text, /\[redacted:/, text);
});

test('secrets in the fields of an object', () => {
  const gone: readonly (readonly [value: unknown, secret: string])[] = [
    [{ headers: { Authorization: `ApiKey ${SLASH}` } }, SLASH],
    [{ headers: { authorization: `Klaviyo-API-Key ${UUID}` } }, UUID],
    [{ headers: { Cookie: `sid=${BASE62}` } }, BASE62],
    [{ kty: 'RSA', n: 'abc', p: BASE62 }, BASE62],
    [{ environment: [{ name: 'SERVICE_API_KEY', value: 'pirate-lantern-96' }] }, 'pirate-lantern-96'],
    [{ password: 123456 }, '123456'],
    [{ db: { pin: 4821 } }, '4821'],
    [{ name: 'DB_PASSWORD', value: 482193 }, '482193'],
    [['--password', 482193], '482193'],
  ];
  for (const [value, secret] of gone)
    assert.ok(!JSON.stringify(redactDeep(value).value).includes(secret), JSON.stringify(value));
});

test('numbers that are not secrets stay numbers', () => {
  const value = {
    max_tokens: 4096,
    passwordMinLength: 1200,
    token: 123456,
    tokens: 15_000,
    passwords: 1200,
    password: 0,
    pin: true,
    pinned: 1234,
    port: 5432,
    secretVersion: 1234,
  };
  assert.deepEqual(redactDeep(value).value, value);
});

test('a text of ten million token characters does not throw', () => {
  assert.equal(redact(`x=${'AAAA='.repeat(2_000_000)}`).text.length > 0, true);
});
