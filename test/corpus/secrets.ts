/**
 * The planted-secret corpus: one made-up secret for each real format, with the texts it stands in. Every secret is put
 * together at run time from pieces and a seed, so no literal secret stands in the repository.
 */

export interface PlantedSecret {
  /** Which format it is. */
  readonly type: string;
  readonly secret: string;
  /** Strings of which none may be found after redaction, for a plain search over files. */
  readonly needles: readonly string[];
  /** Known by its own shape: it must be found in any text. The others are only told by what stands around them. */
  readonly bare: boolean;
  /** Whole texts, as they occur in prompts, tool output and files, that carry the secret. */
  readonly contexts: readonly string[];
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const HEX = `${DIGITS}abcdef`;
const BASE36 = LOWER + DIGITS;
const BASE62 = UPPER + LOWER + DIGITS;
const URL64 = `${BASE62}_-`;
const BASE64 = `${BASE62}+/`;
const UPPER36 = UPPER + DIGITS;

/** The same seed gives the same secrets. */
export function plantedSecrets(seed: number): readonly PlantedSecret[] {
  const make = maker(seed);
  return [...shaped(make), ...named(make), ...framed(make), ...keys(make)];
}

/** Small seeded generator, good enough to shuffle test data. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Make = (alphabet: string, length: number) => string;

function maker(seed: number): Make {
  const random = seeded(seed);
  const draw = (alphabet: string, length: number): string =>
    Array.from({ length }, () => alphabet.charAt(Math.floor(random() * alphabet.length))).join('');
  return (alphabet, length) => {
    for (;;) {
      const text = draw(alphabet, length);
      // Issuers' strings of this length practically always mix; short ones drawn here should too. A trailing sign
      // would be read as punctuation by the text around it.
      const mixes =
        !alphabet.includes('0') ||
        length < 6 ||
        (/\d/.test(text) && /[A-Za-z]/.test(text)) ||
        alphabet === DIGITS;
      if (mixes && /^[A-Za-z0-9].*[A-Za-z0-9]$|^.$/.test(text)) return text;
    }
  };
}

/** Secrets with a shape of their own. */
function shaped(make: Make): readonly PlantedSecret[] {
  const uuid = () => [8, 4, 4, 4, 12].map((n) => make(HEX, n)).join('-');
  const rows: readonly (readonly [string, string])[] = [
    ['aws-access-key-id', glue('AK', 'IA') + make(UPPER36, 16)],
    ['aws-session-key-id', glue('AS', 'IA') + make(UPPER36, 16)],
    ['aws-bedrock-key', glue('AB', 'SK') + make(BASE64, 128)],
    ['tidemark-key', glue('tm', 'k_') + make(BASE36, 12) + '_' + make(URL64, 43)],
    ['github-pat', glue('gh', 'p_') + make(BASE62, 36)],
    ['github-oauth', glue('gh', 'o_') + make(BASE62, 36)],
    ['github-user', glue('gh', 'u_') + make(BASE62, 36)],
    ['github-server', glue('gh', 's_') + make(BASE62, 36)],
    ['github-refresh', glue('gh', 'r_') + make(BASE62, 76)],
    ['github-fine-grained', `${glue('github', '_pat_')}${make(BASE62, 22)}_${make(BASE62, 59)}`],
    ['gitlab-pat', glue('gl', 'pat-') + make(URL64, 20)],
    ['gitlab-runner', glue('gl', 'rt-') + make(URL64, 20)],
    ['gitlab-deploy', glue('gl', 'dt-') + make(URL64, 20)],
    ['bitbucket-password', glue('AT', 'BB') + make(BASE62, 32)],
    ['atlassian-token', glue('ATA', 'TT3') + make(URL64, 186)],
    ['slack-bot', `${glue('xo', 'xb-')}${make(DIGITS, 12)}-${make(DIGITS, 13)}-${make(BASE62, 24)}`],
    [
      'slack-user',
      `${glue('xo', 'xp-')}${make(DIGITS, 12)}-${make(DIGITS, 12)}-${make(DIGITS, 13)}-${make(HEX, 32)}`,
    ],
    ['slack-app', `${glue('xa', 'pp-')}1-A${make(UPPER36, 10)}-${make(DIGITS, 13)}-${make(HEX, 64)}`],
    ['stripe-live', glue('sk', '_live_') + make(BASE62, 24)],
    ['stripe-restricted', glue('rk', '_live_') + make(BASE62, 24)],
    ['stripe-webhook', glue('wh', 'sec_') + make(BASE62, 32)],
    ['openai-legacy', `${glue('s', 'k-')}${make(BASE62, 20)}T3BlbkFJ${make(BASE62, 20)}`],
    ['openai-project', `${glue('s', 'k-proj-')}${make(URL64, 74)}T3BlbkFJ${make(URL64, 74)}`],
    ['openrouter', glue('s', 'k-or-v1-') + make(HEX, 64)],
    ['anthropic-api', `${glue('s', 'k-ant-api03-')}${make(URL64, 93)}AA`],
    ['anthropic-oauth', `${glue('s', 'k-ant-oat01-')}${make(URL64, 93)}AA`],
    ['google-api-key', glue('AI', 'za') + make(URL64, 35)],
    ['google-client-secret', glue('GOC', 'SPX-') + make(URL64, 28)],
    ['google-access-token', glue('ya', '29.') + make(URL64, 120)],
    ['google-refresh-token', glue('1/', '/0') + make(URL64, 60)],
    ['npm', glue('np', 'm_') + make(BASE62, 36)],
    ['pypi', glue('py', 'pi-AgE') + make(URL64, 150)],
    ['rubygems', glue('ruby', 'gems_') + make(HEX, 48)],
    ['docker-hub', glue('dckr', '_pat_') + make(URL64, 27)],
    ['huggingface', glue('h', 'f_') + make(BASE62, 34)],
    ['groq', glue('gs', 'k_') + make(BASE62, 52)],
    ['perplexity', glue('pp', 'lx-') + make(BASE62, 48)],
    ['replicate', glue('r', '8_') + make(BASE62, 37)],
    ['xai', glue('xa', 'i-') + make(BASE62, 80)],
    ['digitalocean', glue('do', 'p_v1_') + make(HEX, 64)],
    ['twilio-api-key', glue('S', 'K') + make(HEX, 32)],
    ['twilio-account', glue('A', 'C') + make(HEX, 32)],
    ['sendgrid', `${glue('S', 'G.')}${make(URL64, 22)}.${make(URL64, 43)}`],
    ['mailgun', glue('ke', 'y-') + make(HEX, 32)],
    ['mailchimp', `${make(HEX, 32)}${glue('-u', 's')}21`],
    ['brevo', `${glue('xkey', 'sib-')}${make(HEX, 64)}-${make(BASE62, 16)}`],
    ['telegram-bot', `${make(DIGITS, 10)}${glue(':A', 'A')}${make(URL64, 33)}`],
    ['discord-bot', `${glue('M', 'T')}${make(BASE62, 24)}.${make(URL64, 6)}.${make(URL64, 38)}`],
    ['shopify', glue('shp', 'at_') + make(HEX, 32)],
    ['square', glue('sq0', 'atp-') + make(URL64, 22)],
    ['heroku', glue('HRK', 'U-AA') + make(URL64, 58)],
    ['linear', glue('lin', '_api_') + make(BASE62, 40)],
    ['notion', glue('nt', 'n_') + make(DIGITS, 11) + make(BASE62, 35)],
    ['notion-old', glue('sec', 'ret_') + make(BASE62, 43)],
    ['figma', glue('fi', 'gd_') + make(URL64, 40)],
    ['databricks', glue('da', 'pi') + make(HEX, 32)],
    ['vercel', glue('vc', 'p_') + make(BASE62, 56)],
    ['netlify', glue('nf', 'p_') + make(BASE62, 40)],
    ['supabase', glue('sb', 'p_') + make(HEX, 40)],
    ['cloudflare-origin', `${glue('v1', '.0-')}${make(HEX, 24)}-${make(HEX, 146)}`],
    ['newrelic', glue('NR', 'AK-') + make(UPPER36, 27)],
    ['sentry-user', glue('sn', 'tryu_') + make(HEX, 64)],
    ['grafana', `${glue('gl', 'sa_')}${make(BASE62, 32)}_${make(HEX, 8)}`],
    ['posthog', glue('ph', 'c_') + make(BASE62, 43)],
    ['doppler', glue('dp', '.pt.') + make(BASE62, 43)],
    ['vault', glue('hv', 's.') + make(URL64, 95)],
    ['terraform', `${make(BASE62, 14)}${glue('.atlas', 'v1.')}${make(URL64, 67)}`],
    ['pulumi', glue('pu', 'l-') + make(HEX, 40)],
    ['age', glue('AGE-SEC', 'RET-KEY-1') + make(UPPER36, 58)],
    ['dropbox', glue('s', 'l.') + make(URL64, 135)],
    ['airtable', `${glue('pa', 't')}${make(BASE62, 14)}.${make(HEX, 64)}`],
    ['postman', `${glue('PM', 'AK-')}${make(HEX, 24)}-${make(HEX, 34)}`],
    ['planetscale', glue('psc', 'ale_pw_') + make(URL64, 43)],
    ['tailscale', `${glue('ts', 'key-auth-')}${make(BASE62, 12)}-${make(BASE62, 32)}`],
    ['hubspot', `${glue('pa', 't-na1-')}${uuid()}`],
    ['azure-client-secret', `${make(BASE62, 3)}8${glue('Q', '~')}${make(BASE62, 34)}`],
    ['onepassword', glue('op', 's_ey') + 'J' + make(BASE62, 260)],
    ['jwt', `${glue('ey', 'J')}${make(URL64, 33)}.${glue('ey', 'J')}${make(URL64, 80)}.${make(URL64, 43)}`],
    ['bcrypt', `${glue('$2', 'b$')}12$${make(BASE62, 53)}`],
  ];
  return rows.map(([type, secret]) => ({
    type,
    secret,
    needles: [secret],
    bare: true,
    contexts: [secret, `the key is ${secret}`],
  }));
}

/** Secrets that only their name gives away. */
function named(make: Make): readonly PlantedSecret[] {
  const of = (type: string, secret: string, contexts: readonly string[]): PlantedSecret => ({
    type,
    secret,
    needles: [secret],
    bare: false,
    contexts,
  });
  const aws = make(BASE64, 40);
  const datadog = make(HEX, 32);
  const heroku = [8, 4, 4, 4, 12].map((n) => make(HEX, n)).join('-');
  const cloudflare = make(URL64, 40);
  const okta = `00${make(URL64, 40)}`;
  const twilio = make(HEX, 32);
  const env = make(BASE62, 14);
  const yaml = make(BASE62, 12);
  const json = make(BASE62, 16);
  const flag = make(BASE62, 12);
  const query = make(BASE62, 20);
  const mixed = make(BASE62, 32);
  const npmrc = make(BASE64, 28);
  const django = `${make(BASE36, 20)}@${make(BASE36, 20)}`;
  const docker = make(BASE62, 40);
  return [
    of('aws-secret-key', aws, [
      `aws_secret_access_key = ${aws}`,
      `AWS_SECRET_ACCESS_KEY=${aws}`,
      `{"SecretAccessKey": "${aws}"}`,
      `export AWS_SECRET_ACCESS_KEY='${aws}'`,
    ]),
    of('datadog', datadog, [
      `DD_API_KEY=${datadog}`,
      `curl -H "DD-API-KEY: ${datadog}" https://api.datadoghq.com`,
    ]),
    of('heroku-uuid', heroku, [`HEROKU_API_KEY=${heroku}`, `heroku_api_key: "${heroku}"`]),
    of('cloudflare-token', cloudflare, [`CLOUDFLARE_API_TOKEN=${cloudflare}`, `apiToken: '${cloudflare}'`]),
    of('okta', okta, [`Authorization: SSWS ${okta}`, `OKTA_API_TOKEN=${okta}`]),
    of('twilio-auth-token', twilio, [`TWILIO_AUTH_TOKEN=${twilio}`, `const authToken = "${twilio}";`]),
    of('env-password', env, [
      `DB_PASSWORD=${env}`,
      `export PGPASSWORD="${env}"`,
      `cat > .env <<EOF\nPORT=3000\nSMTP_PASS=${env}\nDEBUG=1\nEOF`,
      `SHELL=/bin/bash\nPWD=/srv/app\nMYSQL_PASSWORD=${env}\nLANG=C.UTF-8`,
      JSON.stringify({ stdout: `PORT=1\nADMIN_PASSWORD=${env}\nX=2` }),
      `docker run -e POSTGRES_PASSWORD=${env} postgres:16`,
    ]),
    of('yaml-password', yaml, [
      `db:\n  user: app\n  password: ${yaml}\n  port: 5432`,
      `- password: "${yaml}"`,
    ]),
    of('json-secret', json, [
      `{"client_secret": "${json}", "redirect": "/"}`,
      JSON.stringify(JSON.stringify({ clientSecret: json, a: 1 })),
      JSON.stringify(JSON.stringify(JSON.stringify({ api_key: json }))),
      `{ 'api_key' => '${json}' }`,
    ]),
    of('flag-password', flag, [
      `tool login --user me --password ${flag} host`,
      `tool --token=${flag}`,
      `sshpass -p ${flag} ssh h`,
    ]),
    of('query-token', query, [
      `GET /v1/items?access_token=${query}&page=2`,
      `next=%2Fv1%3Faccess_token%3D${query}%26page%3D2`,
    ]),
    of('high-entropy', mixed, [`SERVICE_X=${mixed}`, `session: "${mixed}"`]),
    of('npmrc', npmrc, [
      `//registry.npmjs.org/:_authToken=${npmrc}`,
      `//registry.example.com/:_password="${npmrc}"`,
    ]),
    of('django-secret', django, [`SECRET_KEY = '${django}'`]),
    of('docker-config', docker, [`{"auths":{"index.docker.io":{"auth":"${docker}"}}}`]),
  ];
}

/** Secrets told by the frame they stand in: URLs, headers, commands, private spans. */
function framed(make: Make): readonly PlantedSecret[] {
  const word = () => make(BASE62, 14);
  const row = (type: string, secret: string, contexts: readonly string[]): PlantedSecret => ({
    type,
    secret,
    needles: [secret],
    bare: false,
    contexts,
  });
  const urls = ['postgres', 'mysql', 'mongodb+srv', 'rediss', 'amqp', 'https'].map((scheme) => {
    const password = word();
    return row(`url-${scheme}`, password, [
      `${scheme}://app:${password}@db.internal:5432/main`,
      `DATABASE_URL="${scheme}://app:${password}@db.internal/main?ssl=true"`,
      JSON.stringify({ out: `connect "${scheme}://app:${password}@h/x" failed` }),
      encodeURIComponent(`${scheme}://app:${password}@db.internal/main`),
    ]);
  });
  const [bearer, cookie, setCookie, curl, ado, netrc, hidden, xml, prose, slack, discord] = Array.from(
    { length: 11 },
    word,
  );
  const basic = btoa(`admin:${word()}`);
  const azure = `${make(BASE64, 86)}==`;
  const sas = encodeURIComponent(`${make(BASE64, 43)}=`);
  const opaque = make(URL64, 40);
  const hook = `T${make(UPPER36, 10)}/B${make(UPPER36, 10)}/${make(BASE62, 24)}`;
  const dsn = make(HEX, 32);
  return [
    ...urls,
    row('bearer', opaque, [
      `Authorization: Bearer ${opaque}`,
      `curl -H 'authorization: bearer ${opaque}' https://api.test`,
      `headers: { Authorization: "Bearer ${opaque}" }`,
      JSON.stringify({ cmd: `curl -H "Authorization: Bearer ${opaque}"` }),
    ]),
    row('header-token', `${bearer}`, [`X-Api-Key: ${bearer}`, `PRIVATE-TOKEN: ${bearer}`]),
    row('basic-header', basic, [
      `Authorization: Basic ${basic}`,
      `git -c http.extraheader="AUTHORIZATION: basic ${basic}" fetch`,
    ]),
    row('cookie', `${cookie}`, [
      `Cookie: theme=dark; session=${cookie}1; lang=en`,
      `curl -b "sid=${cookie}2" https://x.test`,
    ]),
    row('set-cookie', `${setCookie}`, [`Set-Cookie: sid=${setCookie}3; Path=/; HttpOnly`]),
    row('curl-user', `${curl}`, [
      `curl -sS -u admin:${curl} https://x.test`,
      `curl --user "admin:${curl}" https://x.test`,
    ]),
    row('ado-connection', `${ado}`, [`Server=db;User Id=sa;Password=${ado};Encrypt=true`]),
    row('netrc', `${netrc}`, [`machine api.test login me password ${netrc}`]),
    row('private-tag', `${hidden}`, [
      `before <private>${hidden}</private> after`,
      `<PRIVATE reason="x">\n${hidden}\n</PRIVATE>`,
      `<private>${hidden}`,
      `< private ><private>a</private>${hidden}</private>`,
    ]),
    row('xml', `${xml}`, [`<server><password>${xml}</password></server>`]),
    row('prose', `${prose}`, [`my password is ${prose}, please remember`, `API key: ${prose}`]),
    row('azure-storage', azure, [
      `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${azure};EndpointSuffix=core.windows.net`,
    ]),
    row('azure-sas', sas, [
      `https://a.blob.core.windows.net/c/f?sv=2022-11-02&se=2030-01-01&sp=r&sig=${sas}`,
    ]),
    row('slack-webhook', hook, [`https://hooks.slack${'.com'}/services/${hook}`]),
    row('discord-webhook', `${discord}${slack}${opaque}`, [
      `https://discord${'.com'}/api/webhooks/${make(DIGITS, 18)}/${discord}${slack}${opaque}`,
    ]),
    row('sentry-dsn', dsn, [`https://${dsn}@o1.ingest.sentry${'.io'}/2`]),
  ];
}

/** Private keys, whole and in pieces. */
function keys(make: Make): readonly PlantedSecret[] {
  const kinds = [
    'RSA PRIVATE KEY',
    'EC PRIVATE KEY',
    'PRIVATE KEY',
    'OPENSSH PRIVATE KEY',
    'ENCRYPTED PRIVATE KEY',
    'PGP PRIVATE KEY BLOCK',
  ];
  return kinds.map((kind) => {
    const lines = Array.from({ length: 6 }, () => make(BASE64, 64));
    const begin = `${'-'.repeat(5)}BEGIN ${kind}${'-'.repeat(5)}`;
    const end = `${'-'.repeat(5)}END ${kind}${'-'.repeat(5)}`;
    const whole = [begin, ...lines, end].join('\n');
    return {
      type: kind.toLowerCase().replaceAll(' ', '-'),
      secret: whole,
      needles: lines,
      bare: true,
      contexts: [
        whole,
        JSON.stringify({ key: whole }),
        JSON.stringify(JSON.stringify({ key: whole })),
        [begin, ...lines].join('\n'),
        [...lines, end].join('\n'),
        `config:\n  key: |\n${whole.replace(/^/gm, '    ')}\nport: 1`,
        whole
          .split('\n')
          .map((line, i) => `     ${i + 1}→${line}`)
          .join('\n'),
        whole.replaceAll('\n', '\r\n'),
        `PRIVATE_KEY="${whole.replaceAll('\n', '\\n')}"`,
        `client-key-data: ${btoa(whole)}`,
      ],
    };
  });
}

function glue(...pieces: readonly string[]): string {
  return pieces.join('');
}
