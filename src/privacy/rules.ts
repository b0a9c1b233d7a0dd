/**
 * The table of secrets that are recognised by their format. A literal finds the place, the pattern decides.
 *
 * Formats come from the issuers' documentation, checked against gitleaks' default configuration. There is no dependency
 * for it (gitleaks is a Go program, secretlint needs Node 20 to 22), because the hook client includes this table: it must
 * run on Node 18, start in milliseconds, and replace text instead of reporting it.
 *
 * To add one: the most specific literal; a sticky pattern whose repetitions are bounded or cannot fail after them, so
 * that the time stays linear; a minimum length instead of the exact one, so that a cut token is still found.
 */
import { commandRules } from './_command-rules.ts';
import { rule, word, type Rule } from './_rule.ts';

export const RULES: readonly Rule[] = [
  // Clouds
  // The secret half often follows its id in the same row.
  word(
    'aws-key',
    ['AKIA', 'ASIA', 'ABIA', 'ACCA'],
    /A(?:[KSB]I|CC)A[A-Z0-9]{16}(?![A-Za-z0-9])(?:[\s,:;|"'\\]{1,6}[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=]))?/y,
  ),
  word('aws-bedrock-key', ['ABSK'], /ABSK[A-Za-z0-9+/]{90,}={0,2}/y),
  rule(
    'url-signature',
    ['X-Amz-Signature=', 'X-Goog-Signature='],
    /(X-(?:Amz|Goog)-Signature=)[0-9a-f]{32,}/y,
  ),
  rule('google-api-key', ['AIza'], /AIza[\w-]{30,}/y),
  rule('google-client-secret', ['GOCSPX-'], /GOCSPX-[\w-]{20,}/y),
  rule('google-oauth', ['ya29.'], /ya29\.[\w.-]{20,}/y),
  word('google-oauth', ['1//0'], /1\/\/0[\w-]{30,}/y),
  rule('firebase-key', [':APA91b'], /:APA91b[\w-]{80,}/y),
  rule(
    'azure-key',
    ['AccountKey=', 'SharedAccessKey='],
    /((?:Account|SharedAccess)Key=)[A-Za-z0-9+/%]{20,}={0,2}/y,
  ),
  rule('azure-sas', ['sig='], /(?<=[?&;]|%26|\\u0026)(sig=)[A-Za-z0-9%+/_-]{20,}={0,2}/y),
  rule('azure-client-secret', ['Q~'], /[\w~.-]{3}\dQ~[\w~.-]{31,40}/y, { back: 4 }),
  rule('digitalocean-token', ['dop_v1_', 'doo_v1_', 'dor_v1_'], /do[por]_v1_[a-f0-9]{32,}/y),
  word('alibaba-key', ['LTAI'], /LTAI[A-Za-z0-9]{16,30}(?![A-Za-z0-9])/y),
  word('yandex-key', ['AQVN'], /AQVN[\w-]{35,}/y),
  rule('heroku-key', ['HRKU-'], /HRKU-[\w-]{36,}/y),
  rule('fly-token', ['fo1_', 'fm1a_', 'fm1r_', 'fm2_'], /f(?:o1|m1[ar]|m2)_[\w+/-]{40,}={0,3}/y),
  rule('vercel-token', ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'], /vc[piark]_[A-Za-z0-9]{24,}/y),
  rule('netlify-token', ['nfp_', 'nfc_', 'nfu_', 'nfb_'], /nf[pcub]_[A-Za-z0-9]{30,}/y),
  rule('cloudflare-key', ['v1.0-'], /v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}/y),
  word('render-key', ['rnd_'], /rnd_[A-Za-z0-9]{28,}/y),
  rule('tailscale-key', ['tskey-'], /tskey-(?:auth-|api-|client-|scim-|webhook-)?[\w-]{16,}/y),
  word('pulumi-token', ['pul-'], /pul-[a-f0-9]{40}/y),
  rule('terraform-token', ['.atlasv1.'], /[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,}/y, { back: 14 }),
  rule('vault-token', ['hvs.', 'hvb.', 'hvr.'], /hv[sbr]\.[\w-]{20,}/y),
  word('doppler-token', ['dp.'], /dp\.(?:pt|ct|sa|scim|audit|st(?:\.[\w-]{1,35})?)\.[A-Za-z0-9]{36,}/y),
  rule('1password-token', ['ops_eyJ'], /ops_eyJ[\w+/-]{60,}={0,3}/y),
  word(
    '1password-key',
    ['A3-'],
    /A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}/y,
  ),
  rule('age-key', ['AGE-SECRET-KEY-1'], /AGE-SECRET-KEY-1[A-Z0-9]{40,}/y),
  rule('openshift-token', ['sha256~'], /sha256~[\w-]{40,}/y),

  // Code, packages, builds
  rule('tidemark-key', ['tmk_'], /tmk_[a-z0-9]{12}_[\w-]{40,}/y),
  rule('github-token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], /gh[pousr]_[A-Za-z0-9]{20,}/y),
  rule('github-token', ['github_pat_'], /github_pat_[A-Za-z0-9_]{22,}/y),
  rule(
    'gitlab-token',
    ['glpat-', 'gldt-', 'glrt-', 'glptt-', 'glcbt-', 'glsoat-', 'glimt-', 'glft-', 'gloas-', 'glagent-'],
    /gl[a-z]{2,6}-[\w-]{20,}(?:\.[\w-]{2,12}){0,2}/y,
  ),
  rule('gitlab-token', ['GR1348941'], /GR1348941[\w-]{20,}/y),
  word('bitbucket-password', ['ATBB'], /ATBB[A-Za-z0-9]{24,}/y),
  rule('atlassian-token', ['ATATT3', 'ATCTT3'], /AT[AC]TT3[\w=-]{24,}/y),
  rule('npm-token', ['npm_'], /npm_[A-Za-z0-9]{30,}/y),
  rule('pypi-token', ['pypi-AgE'], /pypi-AgE[\w-]{40,}/y),
  rule('rubygems-key', ['rubygems_'], /rubygems_[a-f0-9]{32,}/y),
  rule('docker-token', ['dckr_pat_', 'dckr_oat_'], /dckr_[po]at_[\w-]{20,}/y),
  word('artifactory-key', ['AKCp'], /AKCp[A-Za-z0-9]{60,}/y),
  word('artifactory-token', ['cmVmd'], /cmVmd[A-Za-z0-9]{50,}/y),
  rule('buildkite-token', ['bkua_'], /bkua_[a-f0-9]{40}/y),
  rule('circleci-token', ['CCIPAT_', 'CCIPRJ_'], /CCIP(?:AT|RJ)_[A-Za-z0-9]{10,40}_[a-f0-9]{40}/y),
  rule('sourcegraph-token', ['sgp_'], /sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}/y),
  rule('postman-key', ['PMAK-'], /PMAK-[a-f0-9]{24}-[a-f0-9]{30,}/y),
  word('octopus-key', ['API-'], /API-[A-Z0-9]{25,36}(?![\w-])/y),
  word('infracost-key', ['ico-'], /ico-[A-Za-z0-9]{32}(?![\w-])/y),

  // Models
  rule('anthropic-key', ['sk-ant-'], /sk-ant-[\w-]{20,}/y),
  word(
    'openai-key',
    ['sk-'],
    /sk-(?:(?:proj|svcacct|admin|None|or-v1|lf)-[\w-]{20,}|(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{20,})/y,
  ),
  rule('huggingface-token', ['hf_', 'api_org_'], /(?:hf|api_org)_[A-Za-z0-9]{30,}/y),
  rule('groq-key', ['gsk_'], /gsk_[A-Za-z0-9]{40,}/y),
  rule('perplexity-key', ['pplx-'], /pplx-[A-Za-z0-9]{40,}/y),
  rule('replicate-token', ['r8_'], /r8_[A-Za-z0-9]{36,}/y),
  rule('xai-key', ['xai-'], /xai-[A-Za-z0-9]{60,}/y),
  rule('nvidia-key', ['nvapi-'], /nvapi-[\w-]{50,}/y),
  rule('langsmith-key', ['lsv2_'], /lsv2_(?:pt|sk)_[a-f0-9]{32}(?:_[a-f0-9]{8,})?/y),
  rule('pinecone-key', ['pcsk_'], /pcsk_[A-Za-z0-9_]{40,}/y),

  // Messages and people
  rule(
    'slack-token',
    ['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-', 'xoxo-', 'xoxc-', 'xoxd-', 'xoxe-', 'xoxe.', 'xapp-'],
    /x(?:ox[a-z]|app)[-.](?=[\w.%-]{0,20}\d)[\w.%+/=-]{10,}/y,
  ),
  rule(
    'slack-webhook',
    ['hooks.slack.com/', 'hooks.slack.com\\/', 'hooks.slack-gov.com/'],
    /(hooks\.slack(?:-gov)?\.com\\?\/(?:services|workflows|triggers)\\?\/)[\w+\\/-]{20,}/y,
  ),
  rule('teams-webhook', ['.webhook.office.com/'], /(\.webhook\.office\.com\/webhookb2\/)[\w@/-]{40,}/y),
  rule(
    'discord-webhook',
    ['discord.com/api/', 'discordapp.com/api/'],
    /(discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/)\d{15,22}\/[\w-]{40,}/y,
  ),
  // base64 of the digits an account number begins with
  word(
    'discord-token',
    ['MT', 'Mj', 'Mz', 'ND', 'NT', 'Nj', 'Nz', 'OD', 'OT'],
    /[MNO][DTjz][\w-]{20,28}\.[\w-]{6}\.[\w-]{27,45}/y,
  ),
  rule('telegram-token', [':AA'], /(?<=\d{8,10}):AA[\w-]{30,}/y),
  word('twilio-key', ['SK', 'AC'], /(?:SK|AC)[0-9a-f]{32}(?![0-9A-Za-z])/y),
  rule('sendgrid-key', ['SG.'], /SG\.[\w-]{16,32}\.[\w-]{30,64}/y),
  rule('mailgun-key', ['key-'], /key-[0-9a-f]{32}(?![0-9A-Za-z])/y),
  rule('mailchimp-key', ['-us'], /[0-9a-f]{32}-us\d{1,2}(?!\w)/y, { back: 32 }),
  rule('brevo-key', ['xkeysib-', 'xsmtpsib-'], /x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{10,}/y),
  word('resend-key', ['re_'], /re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}/y),
  rule('linear-key', ['lin_api_', 'lin_oauth_'], /lin_(?:api|oauth)_[A-Za-z0-9]{32,}/y),
  rule('notion-token', ['ntn_'], /ntn_[A-Za-z0-9]{40,}/y),
  rule('notion-token', ['secret_'], /secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])/y),
  rule('figma-token', ['figd_', 'figu_', 'figo_'], /fig[duo]_[\w-]{36,}/y),
  word('airtable-token', ['pat'], /pat[A-Za-z0-9]{14}\.[a-f0-9]{64}/y),
  word('dropbox-token', ['sl.'], /sl\.[\w.-]{100,}/y),
  word('hubspot-token', ['pat-'], /pat-(?:na|eu|ap)\d-[a-f0-9-]{36}/y),
  rule('okta-token', ['SSWS '], /(SSWS +)[\w-]{20,}/y),
  rule('contentful-token', ['CFPAT-'], /CFPAT-[\w-]{40,}/y),
  rule('typeform-token', ['tfp_'], /tfp_[\w.=-]{40,}/y),
  rule('mapbox-token', ['sk.eyJ'], /sk\.eyJ[\w-]{20,400}\.[\w-]{20,}/y),

  // Money and shops
  rule(
    'stripe-key',
    ['sk_live_', 'rk_live_', 'sk_test_', 'rk_test_', 'sk_prod_', 'rk_prod_'],
    /[sr]k_(?:live|test|prod)_[\w-]{10,}/y,
  ),
  rule('stripe-webhook-secret', ['whsec_'], /whsec_[A-Za-z0-9+/]{20,}={0,2}/y),
  rule('shopify-token', ['shpat_', 'shpca_', 'shppa_', 'shpss_'], /shp(?:at|ca|pa|ss)_[a-fA-F0-9]{24,}/y),
  rule('square-token', ['sq0atp-', 'sq0csp-'], /sq0(?:atp|csp)-[\w-]{20,}/y),
  word('square-token', ['EAAA'], /EAAA[\w-]{56,64}(?![\w+/=-])/y),
  rule('razorpay-key', ['rzp_live_', 'rzp_test_'], /rzp_(?:live|test)_[A-Za-z0-9]{14,}/y),
  word('plaid-token', ['access-'], /access-(?:sandbox|development|production)-[a-f0-9-]{36}/y),
  rule('flutterwave-key', ['FLWSECK'], /FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,}(?:-X)?/y),
  rule('shippo-token', ['shippo_'], /shippo_(?:live|test)_[a-fA-F0-9]{40}/y),
  word('easypost-key', ['EZAK', 'EZTK'], /EZ[AT]K[A-Za-z0-9]{40,}/y),

  // Data and watching
  rule('databricks-token', ['dapi'], /dapi[a-f0-9]{32}(?:-\d)?/y),
  rule('supabase-key', ['sbp_', 'sb_secret_'], /sb(?:p|_secret)_[\w-]{20,}/y),
  rule('planetscale-key', ['pscale_'], /pscale_(?:tkn|oauth|pw)_[\w=.-]{32,}/y),
  rule('neon-key', ['napi_'], /napi_[a-z0-9]{40,}/y),
  rule('newrelic-key', ['NRAK-', 'NRII-', 'NRRA-', 'NRJS-'], /NR(?:AK|II|RA|JS)-[A-Za-z0-9_-]{19,}/y),
  rule('sentry-token', ['sntrys_', 'sntryu_', 'sntrya_'], /sntry[sua]_[\w+/=-]{30,}/y),
  rule('grafana-token', ['glsa_', 'glc_'], /gl(?:sa|c)_[\w+/=-]{32,}/y),
  rule('grafana-key', ['eyJrIjoi'], /eyJrIjoi[\w+/-]{40,}={0,3}/y),
  rule('posthog-key', ['phc_', 'phx_'], /ph[cx]_[A-Za-z0-9]{30,}/y),
  rule('dynatrace-token', ['dt0c01.', 'dt0s01.'], /dt0[cs]01\.[A-Z0-9]{24}\.[A-Z0-9]{60,}/y),

  // Formats without a plain prefix
  // The last characters of a generated Azure key name the service.
  rule(
    'azure-key',
    ['APIM', 'ACDb', '+ABa', '+AMC', '+ASt'],
    /[A-Za-z0-9+/]{76}(?:APIM|ACDb|\+(?:ABa|AMC|ASt))[A-Za-z0-9+/]{6}==/y,
    { back: 76 },
  ),
  rule(
    'azure-key',
    ['AIoT', '+ASb', '+AEh', '+ARm'],
    /[A-Za-z0-9+/]{33}(?:AIoT|\+(?:ASb|AEh|ARm))[A-Za-z0-9+/]{6}=/y,
    {
      back: 33,
    },
  ),
  rule('azure-key', ['AzFu'], /[\w-]{44}AzFu[\w-]{6}==/y, { back: 44 }),
  rule('azure-key', ['AzSe', '+ACR'], /[A-Za-z0-9+/]{42}(?:AzSe|\+ACR)[A-Za-z0-9+/]{6}/y, { back: 42 }),
  rule('azure-devops-token', ['AZDO'], /[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}/y, { back: 76 }),
  rule('azure-devops-token', ['JQQJ9'], /[A-Za-z0-9]{52}JQQJ9[A-Za-z0-9]{20,}/y, { back: 52 }),
  word('asana-token', ['0/', '1/', '2/'], /[0-2]\/(?:\d{12,20}(?:\/\d{12,20})?:)?[0-9a-f]{32}(?![\w/])/y),
  rule(
    'braintree-token',
    ['access_token$'],
    /access_token\$(?:production|sandbox)\$[a-z0-9]{10,20}\$[0-9a-f]{20,}/y,
  ),
  word('clickup-token', ['pk_'], /pk_\d{6,10}_[A-Z0-9]{28,}/y),
  rule('packagist-token', ['packagist_'], /packagist_[a-z]{2,4}_[0-9a-f]{40,}/y),
  word('salesforce-token', ['00D'], /00D[A-Za-z0-9]{12,15}!A[\w.-]{60,}/y),
  word('twitter-token', ['AAAAAAAAAAAAAAAAAAAA'], /A{20,}[\w%-]{40,}/y),
  word('facebook-token', ['EAA'], /EAA[A-Za-z0-9]{40,}/y),
  word(
    'youtrack-token',
    ['perm:', 'perm-'],
    /perm[:-][A-Za-z0-9+/=]{6,}\.[A-Za-z0-9+/=]{6,}\.[A-Za-z0-9+/=]{20,}/y,
  ),
  word('wallet-key', ['xprv', 'yprv', 'zprv', 'tprv'], /[xyzt]prv[1-9A-HJ-NP-Za-km-z]{80,}/y),
  word('wallet-key', ['suiprivkey1', 'nsec1'], /(?:suiprivkey|nsec)1[02-9ac-hj-np-z]{50,}/y),
  word('laravel-key', ['base64:'], /base64:[A-Za-z0-9+/]{42,44}={1,2}(?![\w+/=])/y),
  word('plivo-token', ['PLAK'], /PLAK[0-9a-f]{28,}/y),
  word('neon-password', ['npg_'], /npg_[A-Za-z0-9]{10,}/y),
  word(
    'bitwarden-token',
    ['0.'],
    /0\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[A-Za-z0-9]{20,}:[A-Za-z0-9+/=]{20,}/y,
  ),
  word('axiom-token', ['xaat-', 'xapt-'], /xa[ap]t-[0-9a-f-]{36}/y),
  word(
    'launchdarkly-key',
    ['sdk-', 'api-', 'mob-', 'rel-'],
    /(?:sdk|api|mob|rel)-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/y,
  ),
  rule('maxmind-key', ['_mmk'], /[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk/y, { back: 36 }),
  word(
    'aws-session-token',
    ['IQoJb3JpZ2lu', 'FwoGZXIvYXdz', 'FQoGZXIvYXdz'],
    /(?:IQoJb3JpZ2lu|F[wQ]oGZXIvYXdz)[A-Za-z0-9+/=%]{40,}/y,
  ),
  rule(
    'aws-key',
    [
      'ecret Access Key',
      'ecret access key',
      'ecretAccessKey',
      'ECRET_ACCESS_KEY',
      'ecret_access_key',
      'ecretKey',
    ],
    /(ecret[ _]?(?:access[ _]?)?key[^\n=:]{0,40}[:=]\s{0,3}\\{0,3}["']?)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])/iy,
  ),
  // Any issuer whose prefix says that it is a key.
  word(
    'api-token',
    [
      'sk_',
      'rk_',
      'ak_',
      'sk-',
      'rk-',
      'ak-',
      'pat_',
      'pat-',
      'key_',
      'key-',
      'tok_',
      'tok-',
      'token_',
      'api_',
      'api-',
      'secret_',
      'secret-',
      'live_',
      'test_',
      'prod_',
    ],
    /(?:[srpa]k|pat|key|tok|token|api|secret|live|test|prod)[_-](?:[a-z0-9]{2,12}[_-]){0,3}[A-Za-z0-9_-]{24,}/y,
    'prefixed',
  ),
  rule(
    'api-token',
    [
      '_pat_',
      '_key_',
      '_token_',
      '_secret_',
      '_live_',
      '_api_',
      '_sk_',
      '-api-',
      '-key-',
      '-sk-',
      '_apikey_',
      '_at_',
      '_rt_',
    ],
    /(?:_(?:pat|key|token|secret|live|api|sk|apikey|at|rt)_|-(?:api|key|sk)-)(?:[a-z0-9]{2,8}_)?(?=[A-Za-z_]{0,20}\d)[A-Za-z0-9]{24,}/y,
    { judged: 'prefixed' },
  ),

  // Webhooks and links that are keys
  rule('webhook', ['hooks.zapier.com/hooks/'], /(hooks\.zapier\.com\/hooks\/(?:catch|standard)\/)[\w/]{6,}/y),
  rule(
    'webhook',
    ['maker.ifttt.com/'],
    /(maker\.ifttt\.com\/trigger\/[\w-]{1,64}\/(?:json\/)?with\/key\/)[\w-]{10,}/y,
  ),
  rule('webhook', ['outlook.office.com/webhook'], /(outlook\.office(?:365)?\.com\/webhook\/)[\w@/-]{40,}/y),
  rule('webhook', ['/open-apis/bot/'], /(\/open-apis\/bot\/(?:v\d\/)?hook\/)[\w-]{20,}/y),
  rule('webhook', ['/webhook/send?key='], /(\/webhook\/send\?key=)[\w-]{20,}/y),
  rule(
    'webhook',
    ['hook.eu', 'hook.us', 'hook.integromat.com/'],
    /(hook\.(?:[eu][us]\d\.make|integromat)\.com\/)[a-z0-9]{20,}/y,
  ),
  rule(
    'webhook',
    ['/webhooks/', '/hooks/', '/webhook/'],
    /(\/(?:web)?hooks?\/(?:[\w-]{1,32}\/){0,3})(?=[A-Za-z-]{0,30}\d)[A-Za-z0-9_-]{20,}(?![\w.-])/y,
    { judged: 'prefixed' },
  ),
  rule('telegram-token', ['/bot'], /(\/bot)\d{6,12}:[\w-]{30,}/y),
  rule(
    'url-signature',
    ['Signature=', 'signature=', 'sig=', 'Policy=', 'hmac=', 'X-Amz-Security-Token='],
    /(?<=[?&;, ]|%26|\\u0026|&amp;)((?:X-Amz-Security-Token|[Ss]ignature|sig|Policy|hmac)=)[A-Za-z0-9%+/_~.-]{16,}={0,2}/y,
  ),
  rule(
    'url-key',
    [
      'key=',
      'auth=',
      'sid=',
      'jwt=',
      'ticket=',
      'otp=',
      'code=',
      'session=',
      'invite=',
      'magic=',
      'sessionid=',
      'sessid=',
    ],
    /(?<=[?&;#]|[?&;][jp]|[?&;]php|%26|%3F|\\u0026|&amp;)((?:key|auth|sid|jwt|ticket|otp|code|session|invite|magic|sessionid|sessid)=)(?=[^&\s"']{0,40}\d)[A-Za-z0-9%+/_~.-]{20,}={0,2}/iy,
    { judged: 'prefixed' },
  ),

  rule(
    'url-key',
    [
      '/reset/',
      '/verify/',
      '/confirm/',
      '/invite/',
      '/magic/',
      '/activate/',
      '/reset-password/',
      '/login/',
      '/share/',
    ],
    /(\/(?:reset|verify|confirm|invite|magic|activate|reset-password|login|share)\/)(?=[A-Za-z_-]{0,30}\d)[A-Za-z0-9_-]{20,}(?![\w./-])/y,
    { judged: 'prefixed' },
  ),
  rule('connection-password', ['thin:'], /(thin:[\w.$-]{1,64}\/)[^\s@"']{3,128}(?=@)/y, {
    judged: 'password',
  }),
  // Keys without their first and last line, and as JSON.
  rule(
    'private-key',
    ['IBAAKC', 'IBAAKB', 'IBADANBgkq'],
    /MII[A-Za-z0-9+/]{3}IBA(?:AK[BC]|DANBgkq)[A-Za-z0-9+/]{20,}(?:(?:\\n|\s){1,8}[A-Za-z0-9+/=]{16,})*={0,2}/y,
    { back: 6 },
  ),
  word(
    'private-key',
    ['b3BlbnNzaC1rZXktdjE', 'MHcCAQEE', 'MIGHAgEA', 'MC4CAQAw'],
    /(?:b3BlbnNzaC1rZXktdjE|MHcCAQEE|MIGHAgEA|MC4CAQAw)[A-Za-z0-9+/]{20,}(?:(?:\\n|\s){1,8}[A-Za-z0-9+/=]{16,})*={0,2}/y,
  ),
  rule('private-key', ['"d":', '"d\\":'], /("d\\{0,3}"?:\s{0,2}\\{0,3}")[\w-]{40,}/y),

  // Any issuer
  // The lookbehind keeps a long run of such beginnings from being read again at each of them.
  word(
    'jwt',
    ['eyJ'],
    /(?<![_-])eyJ[\w-]{8,4096}(?:\.eyJ[\w-]{8,16384}(?:\.[\w-]{0,4096})?|(?:\.[\w-]{0,8192}){4})/y,
  ),
  rule(
    'password-hash',
    ['$2a$', '$2b$', '$2y$', '$argon2', '$6$', '$5$', '$1$', '$apr1$', '$y$'],
    /\$(?:2[aby]\$\d\d\$[./A-Za-z0-9]{50,}|argon2id?\$[\w$=,+/]{30,}|(?:[156y]|apr1)\$[./\w=]{1,30}\$[./A-Za-z0-9$]{20,130})/y,
  ),
  rule(
    'authorization',
    ['uthorization', 'UTHORIZATION'],
    /(uthorization\\{0,7}["'`]?\]?[ \t]{0,4}(?:=>|[:=,])[ \t]{0,4}[frb]?\\{0,7}["'`]?(?:(?:Bearer|Basic|Token|ApiKey|Api-Key|Digest|Negotiate|AWS4-HMAC-SHA256|GoogleLogin|SSWS)[ \t]{1,4})?)[^\s"'`<>\\]{6,}/iy,
    { judged: 'token' },
  ),
  rule('authorization', ['earer '], /(earer {1,4})[\w.~+/=-]{12,}/y, { judged: 'token' }),
  rule('authorization', ['asic '], /(asic {1,4})[A-Za-z0-9+/]{8,}={0,2}/y, { judged: 'basic' }),
  rule(
    'cookie',
    ['ookie:', 'OOKIE:', 'ookie":', "ookie':", "ookie',", 'ookie",', 'ookie\\":', 'ookie='],
    /((?<!set-c)ookie\\{0,7}["'`]?[:,=][ \t]{0,4}\\{0,7}["'`]?)[\w.%-]{1,80}=[^\s"'`\\;]{1,}(?:;? [\w.%-]{1,80}=[^\s"'`\\;]{1,})*/iy,
    { judged: 'cookie' },
  ),
  rule(
    'cookie',
    ['et-Cookie', 'et-cookie', 'ET-COOKIE'],
    /(et-cookie\\{0,7}["'`]?[:,=][ \t]{0,4}\\{0,7}["'`]?[\w.%-]{1,80}=)[^\s"'`\\;]{6,}/iy,
    { judged: 'cookie' },
  ),
  rule(
    'cookie',
    [' -b ', ' --cookie '],
    /((?<=\bcurl\b[^\n]{0,400}) (?:-b|--cookie) {1,4}\\{0,7}["']?)[\w.%-]{1,80}=[^\n"'\\]{6,}/y,
    { command: /\bcurl\b/ },
  ),
  rule(
    'basic-auth',
    [' -u', ' --user', ' --proxy-user', ' -a '],
    /((?<=\b(?:curl|wget|https?|xh)\b[^\n]{0,400}) (?:-u|--user|--proxy-user|-a)[ =]{0,4}\\{0,7}["']?[^\s:"'\\]{1,128}:)[^\s"'\\]{1,256}/y,
    { judged: 'password', command: /\b(?:curl|wget|https?|xh)\b/ },
  ),
  rule(
    'password',
    [' -p', ' -a ', ' -w '],
    /((?:(?<=\b(?:sshpass|mysql|mysqldump|mysqladmin|mariadb|mongosh?|mongodump|(?:docker|podman) login)\b[^\n|;&]{0,200}) -p|(?<=\bredis-cli\b[^\n|;&]{0,200}) -a|(?<=\bldap[a-z]{3,8}\b[^\n|;&]{0,200}) -w) {0,2}\\{0,7}["']?)[^\s"'\\-][^\s"'\\]{2,128}/y,
    { judged: 'password', command: /sshpass|mysql|mariadb|mongo|login|redis-cli|ldap/ },
  ),
  ...commandRules(),
  // .netrc
  rule('password', ['password '], /((?<=\blogin\s{1,8}\S{1,100}\s{1,8})password {1,4})[^\s"'\\]{3,128}/y, {
    judged: 'password',
  }),
  // .pgpass: host:port:database:user:password
  rule(
    'password',
    [':*:', ':5432:', ':5433:', ':6432:', ':543', ':3306:', ':1433:'],
    /((?<=(?:^|\n|\\n)[\w.*-]{1,100}(?::\*)?):(?:\d{2,5}|\*):[^:\s]{1,64}:[^:\s]{1,64}:)[^\s"'\\]{3,128}/y,
    { judged: 'password' },
  ),
  rule('password', ['IDENTIFIED BY ', 'identified by '], /(identified by \\{0,7}['"])[^\n'"\\]{1,128}/iy),
];
