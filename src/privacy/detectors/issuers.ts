/**
 * The table of tokens that are recognised by a prefix alone. One line per format: type, alphabet and least length of the
 * part after the prefix, then the prefixes. Formats come from the issuers' documentation; `rules.ts` has those that need
 * a pattern.
 *
 * Alphabets: x hex, a lower case and digits, u upper case and digits, n letters and digits, w word characters and `-`,
 * d the same with `.` and `=`, b base64.
 */
const TABLE = `
adobe-client-secret x 32 p8e-
aikido-token n 20 AIK_CI_ AIK_SECRET_
alibaba-sts-token n 16 STS.
anyscale-key n 24 esecret_
apify-token n 30 apify_api_
appwrite-key x 60 standard_
asaas-token w 20 $aact_
astra-token n 20 AstraCS:
atlassian-token w 24 ATSTT3 ATOATT
authress-key d 40 authress_ scauth_
aws-bedrock-key b 30 bedrock-api-key-
baidu-key n 20 ALTAK
brave-key w 24 BSA
browserbase-key w 20 bb_live_ bb_test_
buildkite-token w 30 bkaa_ bkaj_ bkar_ bkct_ bkpt_ bkpat_ bkua_
canva-secret w 48 cnvca
cartesia-key w 20 sk_car_
cerebras-key n 32 csk-
checkout-key n 20 sk_sbx_
chromatic-token n 10 chpt_
clickhouse-key n 38 4b1d
clickup-token n 30 pk_
clojars-token n 50 CLOJARS_
cloudflare-token n 36 cfut_ cfat_ cfk_
cloudsmith-key n 30 csa_
cockroach-key w 50 CCDB1_
configcat-key w 40 configcat-sdk-1/
coralogix-key n 26 cxtp_ cxup_
crates-token n 30 cio
cursor-key x 40 key_ crsr_
dagster-token x 30 agent: user:
databento-key n 28 db-
daytona-key x 40 dtn_
dbt-token w 30 dbtc_ dbtu_
defined-key w 60 dnkey-
deno-token n 34 ddp_ ddo_ ddw_
devcycle-key w 20 dvc_server_ dvc_client_ dvc_mobile_
devin-key b 50 apk_user_ apk_ cog_
dingtalk-secret x 60 SEC
dnsimple-token n 28 dnsimple_a_ dnsimple_u_
docker-swarm-token w 40 SWMTKN-1- SWMKEY-1-
duffel-token w 36 duffel_live_ duffel_test_
dynatrace-token d 60 dt0s02. dt0s06. dt0s08. dt0s16.
e2b-key x 36 e2b_
elastic-key w 40 essu_
elevenlabs-key x 40 sk_
endorlabs-key w 16 endr+
exoscale-key n 24 EXO
fauna-key w 34 fnA
firecrawl-key x 28 fc-
fireworks-key n 20 fw_ fw3_
flagsmith-key n 20 ser.
frameio-token w 50 fio-u-
gemini-key w 40 AQ.
github-app-token x 40 v1.
gitlab-token w 18 glffct- glrtr- glwt- glscim- glsbt-
google-oauth w 40 4/0A
harness-token d 50 pat. sat.
helicone-key w 20 sk-helicone- pk-helicone-
honeybadger-token n 30 hbp_
honeycomb-key n 24 hcaik_ hcxik_ hcbik_ hcamk_ hcxmk_ hcalk_ hcxlk_
imagekit-key b 24 private_
infisical-token d 50 st.
inngest-key n 30 signkey-prod- signkey-test- signkey-branch-
instagram-token w 60 IGQ IGAA
intercom-token b 40 dG9r
intra42-secret x 60 s-s4t2ud- s-s4t2af-
ionic-token n 40 ion_
jina-key w 40 jina_
kubernetes-token w 40 k8s-aws-v1.
langfuse-key w 30 sk-lf-
letta-key b 40 sk-let-
lichess-token w 16 lip_
linear-key n 30 lin_wh_
linkedin-secret d 16 WPL_AP1.
llamaindex-key w 36 llx-
logfire-token n 30 pylf_v1_us_ pylf_v1_eu_ pylf_v2_us_ pylf_v2_eu_
mailersend-token n 30 mlsn.
mailgun-key x 30 pubkey-
mandrill-key w 20 md-
mem0-key n 30 m0-
mercadopago-token w 40 APP_USR-
mercury-token w 40 mercury_production_ mercury_sandbox_
mergify-key w 40 mergify_application_key_
midtrans-key w 20 Mid-server- SB-Mid-server-
minimax-key w 60 sk-api-
modal-token n 20 ak- as-
mongodb-secret w 36 mdb_sa_sk_
n8n-key d 40 n8n_api_
neon-key n 40 napi_
netbird-token n 34 nbp_
newrelic-key w 24 NRBR- NRIQ- NRSP-
nostr-key a 40 nsec1
nuget-key a 40 oy2
onesignal-key a 60 os_v2_app_ os_v2_org_
onfido-token w 20 api_live. api_live_ca. api_live_us. api_sandbox.
openai-key w 36 sess-
paddle-key w 40 pdl_live_apikey_ pdl_sdbx_apikey_ pdl_ntfset_
pagerduty-key w 18 pdus+ pdeu+
payment-key w 28 live_ test_ sandbox_
paypal-token w 70 A21AA
persona-key w 30 persona_production_ persona_sandbox_
pinterest-token w 40 pina_
plain-key w 40 plainApiKey_
polar-token w 24 polar_at_ polar_oat_ polar_pat_ polar_rt_ polar_cs_ polar_whs_
prefect-key n 34 pnu_ pnb_
promptlayer-key x 28 pl_
proof-key w 30 prf_
pubnub-key w 34 sec-c-
ramp-secret n 40 ramp_sec_ ramp_tok_
readme-key a 60 rdme_
retool-token w 26 retool_
revenuecat-key n 27 sk_ atk_
rootly-key x 40 rootly_
runpod-key n 28 rpa_
samsara-token n 26 samsara_api_
scaleway-key u 17 SCW
scalingo-token w 40 tk-us-
segment-token n 50 sgp_
settlemint-token n 16 sm_aat_ sm_pat_ sm_sat_
shopify-token x 24 shpua_ shpit_ shprt_
shortcut-token w 30 sct_rw_ sct_ro_
slack-token w 30 xwfp-
snyk-token d 30 snyk_uat. snyk_sat.
socket-token w 30 sktsec_
sonar-token x 36 squ_ sqp_ sqa_ sqb_
sourcegraph-token x 60 slk_ sgs_
statsig-key n 36 secret- console-
stripe-key n 20 sk_org_live_ sk_org_test_ ek_live_ ek_test_
stytch-secret w 30 secret-live- secret-test-
svix-token d 24 testsk_
tavily-key w 20 tvly-dev- tvly-prod- tvly-
telnyx-key w 40 KEY01
tencent-key n 28 AKID
thunderstore-token w 24 tss_
tigris-key w 30 tid_ tsec_
tiktok-token d 40 act.
together-key w 36 tgp_v1_
trello-token x 60 ATTA
trigger-key n 18 tr_dev_ tr_prod_ tr_stg_ tr_preview_ tr_pat_
turbopuffer-key n 24 tpuf_
twitch-token a 28 oauth:
unkey-key n 20 unkey_
upcloud-token n 24 ucat_
val-town-token w 20 vtwn_
vercel-token w 30 vercel_blob_rw_
veracode-key x 30 vera01ei- vera01es-
vk-token w 60 vk1.a.
volcengine-key n 30 AKLT
voyage-key w 36 pa- al-
wakatime-key w 30 waka_ waka_tok_ waka_sec_ waka_ref_
wandb-key w 60 wandb_v1_
woocommerce-key x 38 cs_ ck_
workato-token d 60 wrka-eyJ wrkaus-eyJ wrkaeu-eyJ
xata-key n 28 xau_
yandex-secret w 36 YC
yandex-token d 50 t1. y0_
you-key w 36 ydc-sk-
zep-key d 40 z_
zuplo-key w 36 zpka_
`;

const ALPHABETS: Readonly<Record<string, string>> = {
  x: '[0-9a-fA-F]',
  a: '[a-z0-9]',
  u: '[A-Z0-9]',
  n: '[A-Za-z0-9]',
  w: '[\\w-]',
  d: '[\\w.=-]',
  b: '[A-Za-z0-9+/_=-]',
};

export interface Issuer {
  readonly type: string;
  readonly prefixes: readonly string[];
  /** Matches the part after the prefix. */
  readonly body: RegExp;
}

/** `rdme_` and 70 characters → `{ type: 'readme-key', prefixes: ['rdme_'], … }`. */
export function issuers(): readonly Issuer[] {
  return TABLE.trim()
    .split('\n')
    .map((line) => {
      const [type = '', alphabet = '', least = '', ...prefixes] = line.split(' ');
      return { type, prefixes, body: new RegExp(`${ALPHABETS[alphabet]}{${least},}`, 'y') };
    });
}
