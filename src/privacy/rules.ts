/**
 * The table of secrets that are recognised by their own shape. A literal finds the place, the pattern decides.
 *
 * Formats come from the issuers' documentation, checked against what gitleaks' default configuration looks for. No rule
 * set is taken as a dependency (gitleaks is a Go program, secretlint wants Node 20 to 22): the hook client carries this
 * table, has to run on Node 18, starts in milliseconds, and has to replace text instead of reporting it.
 *
 * Adding one: the most telling literal; a sticky pattern whose repetitions are bounded or cannot fail after them, so
 * that the time stays linear; a lower bound on the length rather than the exact one, so that a cut token is still seen.
 */

export interface Rule {
  readonly type: string;
  /** Plain texts of which one has to be there. */
  readonly literals: readonly string[];
  /** Matched where the literal begins (less `back`). Group 1, if there is one, stays; the rest is the secret. */
  readonly pattern: RegExp;
  /** How many characters before the literal the secret begins. */
  readonly back?: number;
  /** The literal is short or common: it counts only where a word begins. */
  readonly wordStart?: true;
  /** The shape alone does not tell a secret from a word or a reference: judge the value, as this kind of value. */
  readonly judged?: 'password' | 'token' | 'basic' | 'cookie';
}

export const RULES: readonly Rule[] = [
  // Clouds
  {
    type: 'aws-key',
    literals: ['AKIA', 'ASIA', 'ABIA', 'ACCA'],
    // The secret half often follows its id in the same row.
    pattern:
      /A(?:[KSB]I|CC)A[A-Z0-9]{16}(?![A-Za-z0-9])(?:[\s,:;|"'\\]{1,6}[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=]))?/y,
    wordStart: true,
  },
  { type: 'aws-bedrock-key', literals: ['ABSK'], pattern: /ABSK[A-Za-z0-9+/]{90,}={0,2}/y, wordStart: true },
  {
    type: 'url-signature',
    literals: ['X-Amz-Signature=', 'X-Goog-Signature='],
    pattern: /(X-(?:Amz|Goog)-Signature=)[0-9a-f]{32,}/y,
  },
  { type: 'google-api-key', literals: ['AIza'], pattern: /AIza[\w-]{30,}/y },
  { type: 'google-client-secret', literals: ['GOCSPX-'], pattern: /GOCSPX-[\w-]{20,}/y },
  { type: 'google-oauth', literals: ['ya29.'], pattern: /ya29\.[\w.-]{20,}/y },
  { type: 'google-oauth', literals: ['1//0'], pattern: /1\/\/0[\w-]{30,}/y, wordStart: true },
  { type: 'firebase-key', literals: [':APA91b'], pattern: /:APA91b[\w-]{80,}/y },
  {
    type: 'azure-key',
    literals: ['AccountKey=', 'SharedAccessKey='],
    pattern: /((?:Account|SharedAccess)Key=)[A-Za-z0-9+/%]{20,}={0,2}/y,
  },
  {
    type: 'azure-sas',
    literals: ['sig='],
    pattern: /(?<=[?&;]|%26|\\u0026)(sig=)[A-Za-z0-9%+/_-]{20,}={0,2}/y,
  },
  { type: 'azure-client-secret', literals: ['Q~'], back: 4, pattern: /[\w~.-]{3}\dQ~[\w~.-]{31,40}/y },
  {
    type: 'digitalocean-token',
    literals: ['dop_v1_', 'doo_v1_', 'dor_v1_'],
    pattern: /do[por]_v1_[a-f0-9]{32,}/y,
  },
  {
    type: 'alibaba-key',
    literals: ['LTAI'],
    pattern: /LTAI[A-Za-z0-9]{16,30}(?![A-Za-z0-9])/y,
    wordStart: true,
  },
  { type: 'yandex-key', literals: ['AQVN'], pattern: /AQVN[\w-]{35,}/y, wordStart: true },
  { type: 'heroku-key', literals: ['HRKU-'], pattern: /HRKU-[\w-]{36,}/y },
  {
    type: 'fly-token',
    literals: ['fo1_', 'fm1a_', 'fm1r_', 'fm2_'],
    pattern: /f(?:o1|m1[ar]|m2)_[\w+/-]{40,}={0,3}/y,
  },
  {
    type: 'vercel-token',
    literals: ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'],
    pattern: /vc[piark]_[A-Za-z0-9]{24,}/y,
  },
  {
    type: 'netlify-token',
    literals: ['nfp_', 'nfc_', 'nfu_', 'nfb_'],
    pattern: /nf[pcub]_[A-Za-z0-9]{30,}/y,
  },
  { type: 'cloudflare-key', literals: ['v1.0-'], pattern: /v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}/y },
  { type: 'render-key', literals: ['rnd_'], pattern: /rnd_[A-Za-z0-9]{28,}/y, wordStart: true },
  {
    type: 'tailscale-key',
    literals: ['tskey-'],
    pattern: /tskey-(?:auth-|api-|client-|scim-|webhook-)?[\w-]{16,}/y,
  },
  { type: 'pulumi-token', literals: ['pul-'], pattern: /pul-[a-f0-9]{40}/y, wordStart: true },
  {
    type: 'terraform-token',
    literals: ['.atlasv1.'],
    back: 14,
    pattern: /[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,}/y,
  },
  { type: 'vault-token', literals: ['hvs.', 'hvb.', 'hvr.'], pattern: /hv[sbr]\.[\w-]{20,}/y },
  {
    type: 'doppler-token',
    literals: ['dp.'],
    pattern: /dp\.(?:pt|ct|sa|scim|audit|st(?:\.[\w-]{1,35})?)\.[A-Za-z0-9]{36,}/y,
    wordStart: true,
  },
  { type: '1password-token', literals: ['ops_eyJ'], pattern: /ops_eyJ[\w+/-]{60,}={0,3}/y },
  {
    type: '1password-key',
    literals: ['A3-'],
    pattern: /A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}/y,
    wordStart: true,
  },
  { type: 'age-key', literals: ['AGE-SECRET-KEY-1'], pattern: /AGE-SECRET-KEY-1[A-Z0-9]{40,}/y },
  { type: 'openshift-token', literals: ['sha256~'], pattern: /sha256~[\w-]{40,}/y },

  // Code, packages, builds
  { type: 'tidemark-key', literals: ['tmk_'], pattern: /tmk_[a-z0-9]{12}_[\w-]{40,}/y },
  {
    type: 'github-token',
    literals: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    pattern: /gh[pousr]_[A-Za-z0-9]{20,}/y,
  },
  { type: 'github-token', literals: ['github_pat_'], pattern: /github_pat_[A-Za-z0-9_]{22,}/y },
  {
    type: 'gitlab-token',
    literals: [
      'glpat-',
      'gldt-',
      'glrt-',
      'glptt-',
      'glcbt-',
      'glsoat-',
      'glimt-',
      'glft-',
      'gloas-',
      'glagent-',
    ],
    pattern: /gl[a-z]{2,6}-[\w-]{20,}(?:\.[\w-]{2,12}){0,2}/y,
  },
  { type: 'gitlab-token', literals: ['GR1348941'], pattern: /GR1348941[\w-]{20,}/y },
  { type: 'bitbucket-password', literals: ['ATBB'], pattern: /ATBB[A-Za-z0-9]{24,}/y, wordStart: true },
  { type: 'atlassian-token', literals: ['ATATT3', 'ATCTT3'], pattern: /AT[AC]TT3[\w=-]{24,}/y },
  { type: 'npm-token', literals: ['npm_'], pattern: /npm_[A-Za-z0-9]{30,}/y },
  { type: 'pypi-token', literals: ['pypi-AgE'], pattern: /pypi-AgE[\w-]{40,}/y },
  { type: 'rubygems-key', literals: ['rubygems_'], pattern: /rubygems_[a-f0-9]{32,}/y },
  { type: 'docker-token', literals: ['dckr_pat_', 'dckr_oat_'], pattern: /dckr_[po]at_[\w-]{20,}/y },
  { type: 'artifactory-key', literals: ['AKCp'], pattern: /AKCp[A-Za-z0-9]{60,}/y, wordStart: true },
  { type: 'artifactory-token', literals: ['cmVmd'], pattern: /cmVmd[A-Za-z0-9]{50,}/y, wordStart: true },
  { type: 'buildkite-token', literals: ['bkua_'], pattern: /bkua_[a-f0-9]{40}/y },
  {
    type: 'circleci-token',
    literals: ['CCIPAT_', 'CCIPRJ_'],
    pattern: /CCIP(?:AT|RJ)_[A-Za-z0-9]{10,40}_[a-f0-9]{40}/y,
  },
  {
    type: 'sourcegraph-token',
    literals: ['sgp_'],
    pattern: /sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}/y,
  },
  { type: 'postman-key', literals: ['PMAK-'], pattern: /PMAK-[a-f0-9]{24}-[a-f0-9]{30,}/y },
  { type: 'octopus-key', literals: ['API-'], pattern: /API-[A-Z0-9]{25,36}(?![\w-])/y, wordStart: true },
  { type: 'infracost-key', literals: ['ico-'], pattern: /ico-[A-Za-z0-9]{32}(?![\w-])/y, wordStart: true },

  // Models
  { type: 'anthropic-key', literals: ['sk-ant-'], pattern: /sk-ant-[\w-]{20,}/y },
  {
    type: 'openai-key',
    literals: ['sk-'],
    pattern: /sk-(?:(?:proj|svcacct|admin|None|or-v1|lf)-[\w-]{20,}|(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{20,})/y,
    wordStart: true,
  },
  { type: 'huggingface-token', literals: ['hf_', 'api_org_'], pattern: /(?:hf|api_org)_[A-Za-z0-9]{30,}/y },
  { type: 'groq-key', literals: ['gsk_'], pattern: /gsk_[A-Za-z0-9]{40,}/y },
  { type: 'perplexity-key', literals: ['pplx-'], pattern: /pplx-[A-Za-z0-9]{40,}/y },
  { type: 'replicate-token', literals: ['r8_'], pattern: /r8_[A-Za-z0-9]{36,}/y },
  { type: 'xai-key', literals: ['xai-'], pattern: /xai-[A-Za-z0-9]{60,}/y },
  { type: 'nvidia-key', literals: ['nvapi-'], pattern: /nvapi-[\w-]{50,}/y },
  { type: 'langsmith-key', literals: ['lsv2_'], pattern: /lsv2_(?:pt|sk)_[a-f0-9]{32}(?:_[a-f0-9]{8,})?/y },
  { type: 'pinecone-key', literals: ['pcsk_'], pattern: /pcsk_[A-Za-z0-9_]{40,}/y },

  // Messages and people
  {
    type: 'slack-token',
    literals: [
      'xoxb-',
      'xoxp-',
      'xoxa-',
      'xoxr-',
      'xoxs-',
      'xoxo-',
      'xoxc-',
      'xoxd-',
      'xoxe-',
      'xoxe.',
      'xapp-',
    ],
    pattern: /x(?:ox[a-z]|app)[-.](?=[\w.%-]{0,20}\d)[\w.%+/=-]{10,}/y,
  },
  {
    type: 'slack-webhook',
    literals: ['hooks.slack.com/', 'hooks.slack.com\\/', 'hooks.slack-gov.com/'],
    pattern: /(hooks\.slack(?:-gov)?\.com\\?\/(?:services|workflows|triggers)\\?\/)[\w+\\/-]{20,}/y,
  },
  {
    type: 'teams-webhook',
    literals: ['.webhook.office.com/'],
    pattern: /(\.webhook\.office\.com\/webhookb2\/)[\w@/-]{40,}/y,
  },
  {
    type: 'discord-webhook',
    literals: ['discord.com/api/', 'discordapp.com/api/'],
    pattern: /(discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/)\d{15,22}\/[\w-]{40,}/y,
  },
  {
    type: 'discord-token',
    literals: ['MT', 'Mj', 'Mz', 'ND', 'NT', 'Nj', 'Nz', 'OD', 'OT'], // base64 of the digits an account number begins with
    pattern: /[MNO][DTjz][\w-]{20,28}\.[\w-]{6}\.[\w-]{27,45}/y,
    wordStart: true,
  },
  { type: 'telegram-token', literals: [':AA'], pattern: /(?<=\d{8,10}):AA[\w-]{30,}/y },
  {
    type: 'twilio-key',
    literals: ['SK', 'AC'],
    pattern: /(?:SK|AC)[0-9a-f]{32}(?![0-9A-Za-z])/y,
    wordStart: true,
  },
  { type: 'sendgrid-key', literals: ['SG.'], pattern: /SG\.[\w-]{16,32}\.[\w-]{30,64}/y },
  { type: 'mailgun-key', literals: ['key-'], pattern: /key-[0-9a-f]{32}(?![0-9A-Za-z])/y },
  { type: 'mailchimp-key', literals: ['-us'], back: 32, pattern: /[0-9a-f]{32}-us\d{1,2}(?!\w)/y },
  {
    type: 'brevo-key',
    literals: ['xkeysib-', 'xsmtpsib-'],
    pattern: /x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{10,}/y,
  },
  { type: 'resend-key', literals: ['re_'], pattern: /re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}/y, wordStart: true },
  {
    type: 'linear-key',
    literals: ['lin_api_', 'lin_oauth_'],
    pattern: /lin_(?:api|oauth)_[A-Za-z0-9]{32,}/y,
  },
  { type: 'notion-token', literals: ['ntn_'], pattern: /ntn_[A-Za-z0-9]{40,}/y },
  { type: 'notion-token', literals: ['secret_'], pattern: /secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])/y },
  { type: 'figma-token', literals: ['figd_', 'figu_', 'figo_'], pattern: /fig[duo]_[\w-]{36,}/y },
  {
    type: 'airtable-token',
    literals: ['pat'],
    pattern: /pat[A-Za-z0-9]{14}\.[a-f0-9]{64}/y,
    wordStart: true,
  },
  { type: 'dropbox-token', literals: ['sl.'], pattern: /sl\.[\w.-]{100,}/y, wordStart: true },
  {
    type: 'hubspot-token',
    literals: ['pat-'],
    pattern: /pat-(?:na|eu|ap)\d-[a-f0-9-]{36}/y,
    wordStart: true,
  },
  { type: 'okta-token', literals: ['SSWS '], pattern: /(SSWS +)[\w-]{20,}/y },
  { type: 'contentful-token', literals: ['CFPAT-'], pattern: /CFPAT-[\w-]{40,}/y },
  { type: 'typeform-token', literals: ['tfp_'], pattern: /tfp_[\w.=-]{40,}/y },
  { type: 'mapbox-token', literals: ['sk.eyJ'], pattern: /sk\.eyJ[\w-]{20,400}\.[\w-]{20,}/y },

  // Money and shops
  {
    type: 'stripe-key',
    literals: ['sk_live_', 'rk_live_', 'sk_test_', 'rk_test_', 'sk_prod_', 'rk_prod_'],
    pattern: /[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,}/y,
  },
  { type: 'stripe-webhook-secret', literals: ['whsec_'], pattern: /whsec_[A-Za-z0-9+/]{20,}={0,2}/y },
  {
    type: 'shopify-token',
    literals: ['shpat_', 'shpca_', 'shppa_', 'shpss_'],
    pattern: /shp(?:at|ca|pa|ss)_[a-fA-F0-9]{24,}/y,
  },
  { type: 'square-token', literals: ['sq0atp-', 'sq0csp-'], pattern: /sq0(?:atp|csp)-[\w-]{20,}/y },
  { type: 'square-token', literals: ['EAAA'], pattern: /EAAA[\w-]{56,64}(?![\w+/=-])/y, wordStart: true },
  {
    type: 'razorpay-key',
    literals: ['rzp_live_', 'rzp_test_'],
    pattern: /rzp_(?:live|test)_[A-Za-z0-9]{14,}/y,
  },
  {
    type: 'plaid-token',
    literals: ['access-'],
    pattern: /access-(?:sandbox|development|production)-[a-f0-9-]{36}/y,
    wordStart: true,
  },
  { type: 'flutterwave-key', literals: ['FLWSECK'], pattern: /FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,}(?:-X)?/y },
  { type: 'shippo-token', literals: ['shippo_'], pattern: /shippo_(?:live|test)_[a-fA-F0-9]{40}/y },
  { type: 'easypost-key', literals: ['EZAK', 'EZTK'], pattern: /EZ[AT]K[A-Za-z0-9]{40,}/y, wordStart: true },

  // Data and watching
  { type: 'databricks-token', literals: ['dapi'], pattern: /dapi[a-f0-9]{32}(?:-\d)?/y },
  { type: 'supabase-key', literals: ['sbp_', 'sb_secret_'], pattern: /sb(?:p|_secret)_[\w-]{20,}/y },
  { type: 'planetscale-key', literals: ['pscale_'], pattern: /pscale_(?:tkn|oauth|pw)_[\w=.-]{32,}/y },
  { type: 'neon-key', literals: ['napi_'], pattern: /napi_[a-z0-9]{40,}/y },
  {
    type: 'newrelic-key',
    literals: ['NRAK-', 'NRII-', 'NRRA-', 'NRJS-'],
    pattern: /NR(?:AK|II|RA|JS)-[A-Za-z0-9_-]{19,}/y,
  },
  { type: 'sentry-token', literals: ['sntrys_', 'sntryu_', 'sntrya_'], pattern: /sntry[sua]_[\w+/=-]{30,}/y },
  { type: 'grafana-token', literals: ['glsa_', 'glc_'], pattern: /gl(?:sa|c)_[\w+/=-]{32,}/y },
  { type: 'grafana-key', literals: ['eyJrIjoi'], pattern: /eyJrIjoi[\w+/-]{40,}={0,3}/y },
  { type: 'posthog-key', literals: ['phc_', 'phx_'], pattern: /ph[cx]_[A-Za-z0-9]{30,}/y },
  {
    type: 'dynatrace-token',
    literals: ['dt0c01.', 'dt0s01.'],
    pattern: /dt0[cs]01\.[A-Z0-9]{24}\.[A-Z0-9]{60,}/y,
  },

  // Any issuer
  {
    type: 'jwt',
    literals: ['eyJ'],
    // The lookbehind keeps a long run of such beginnings from being read again at each of them.
    pattern: /(?<![_-])eyJ[\w-]{8,4096}(?:\.eyJ[\w-]{8,16384}(?:\.[\w-]{0,4096})?|(?:\.[\w-]{0,8192}){4})/y,
    wordStart: true,
  },
  {
    type: 'password-hash',
    literals: ['$2a$', '$2b$', '$2y$', '$argon2', '$6$', '$5$', '$1$', '$apr1$', '$y$'],
    pattern:
      /\$(?:2[aby]\$\d\d\$[./A-Za-z0-9]{50,}|argon2id?\$[\w$=,+/]{30,}|(?:[156y]|apr1)\$[./\w=]{1,30}\$[./A-Za-z0-9$]{20,130})/y,
  },
  {
    type: 'authorization',
    literals: ['uthorization', 'UTHORIZATION'],
    pattern:
      /(uthorization\\{0,7}["'`]?\]?[ \t]{0,4}(?:=>|[:=,])[ \t]{0,4}[frb]?\\{0,7}["'`]?(?:(?:Bearer|Basic|Token|ApiKey|Api-Key|Digest|Negotiate|AWS4-HMAC-SHA256|GoogleLogin|SSWS)[ \t]{1,4})?)[^\s"'`<>\\]{6,}/iy,
    judged: 'token',
  },
  { type: 'authorization', literals: ['earer '], pattern: /(earer {1,4})[\w.~+/=-]{12,}/y, judged: 'token' },
  {
    type: 'authorization',
    literals: ['asic '],
    pattern: /(asic {1,4})[A-Za-z0-9+/]{8,}={0,2}/y,
    judged: 'basic',
  },
  {
    type: 'cookie',
    literals: ['ookie:', 'OOKIE:', 'ookie":', "ookie':", "ookie',", 'ookie",', 'ookie\\":', 'ookie='],
    pattern:
      /((?<!set-c)ookie\\{0,7}["'`]?[:,=][ \t]{0,4}\\{0,7}["'`]?)[\w.%-]{1,80}=[^\s"'`\\;]{1,}(?:;? [\w.%-]{1,80}=[^\s"'`\\;]{1,})*/iy,
    judged: 'cookie',
  },
  {
    type: 'cookie',
    literals: ['et-Cookie', 'et-cookie', 'ET-COOKIE'],
    pattern: /(et-cookie\\{0,7}["'`]?[:,=][ \t]{0,4}\\{0,7}["'`]?[\w.%-]{1,80}=)[^\s"'`\\;]{6,}/iy,
    judged: 'cookie',
  },
  {
    type: 'cookie',
    literals: [' -b ', ' --cookie '],
    pattern: /((?<=\bcurl\b[^\n]{0,400}) (?:-b|--cookie) {1,4}\\{0,7}["']?)[\w.%-]{1,80}=[^\n"'\\]{6,}/y,
  },
  {
    type: 'basic-auth',
    literals: [' -u', ' --user', ' --proxy-user', ' -a '],
    pattern:
      /((?<=\b(?:curl|wget|https?|xh)\b[^\n]{0,400}) (?:-u|--user|--proxy-user|-a)[ =]{0,4}\\{0,7}["']?[^\s:"'\\]{1,128}:)[^\s"'\\]{1,256}/y,
    judged: 'password',
  },
  {
    type: 'password',
    literals: [' -p', ' -a ', ' -w '],
    pattern:
      /((?:(?<=\b(?:sshpass|mysql|mysqldump|mysqladmin|mariadb|mongosh?|mongodump|(?:docker|podman) login)\b[^\n|;&]{0,200}) -p|(?<=\bredis-cli\b[^\n|;&]{0,200}) -a|(?<=\bldap[a-z]{3,8}\b[^\n|;&]{0,200}) -w) {0,2}\\{0,7}["']?)[^\s"'\\-][^\s"'\\]{2,128}/y,
    judged: 'password',
  },
  {
    type: 'password',
    literals: ['password '],
    pattern: /((?<=\blogin\s{1,8}\S{1,100}\s{1,8})password {1,4})[^\s"'\\]{3,128}/y, // .netrc
    judged: 'password',
  },
  { type: 'password', literals: [':5432:'], pattern: /(:5432:[^:\s]{1,64}:[^:\s]{1,64}:)[^\s"'\\]{3,128}/y }, // .pgpass
  {
    type: 'password',
    literals: ['IDENTIFIED BY ', 'identified by '],
    pattern: /(identified by \\{0,7}['"])[^\n'"\\]{1,128}/iy,
  },
];
