/**
 * Words by which people name a provider: companies, products, abbreviations and former names, as lower-case words.
 * The keys are normalised provider names; a key that means several providers lists them in `PROVIDER_FAMILY`.
 */
export const PROVIDER_NAMES: Readonly<Record<string, readonly string[]>> = {
  aws: ['aws', 'amazon', 'amazon web services', 'amazons', '亚马逊', '亚马逊云', 'アマゾン'],
  azurerm: [
    'azure',
    'azures',
    'microsoft',
    'microsofts',
    'msft',
    'ms cloud',
    'azurerm',
    '微软',
    '微软云',
    'マイクロソフト',
  ],
  google: ['google', 'googles', 'gcp', 'google cloud', 'google cloud platform', '谷歌', '谷歌云', 'グーグル'],
  oci: ['oracle', 'oracles', 'oci', 'oracle cloud', 'oracle cloud infrastructure', '甲骨文'],
  alicloud: ['alibaba', 'alibabas', 'alicloud', 'alibaba cloud', 'aliyun', '阿里云', '阿里'],
  digitalocean: ['digitalocean', 'digital ocean', 'digitaloceans'],
  hcloud: ['hetzner', 'hcloud', 'hetzner cloud', 'hetzners'],
  ibm: ['ibm', 'ibm cloud', 'softlayer', 'bluemix', 'ibms'],
  cloudflare: ['cloudflare'],
  datadog: ['datadog'],
  github: ['github'],
  gitlab: ['gitlab'],
  tencentcloud: ['tencent', 'tencentcloud', '腾讯云'],
  ovh: ['ovh', 'ovhcloud'],
  scaleway: ['scaleway'],
  linode: ['linode', 'akamai'],
  vultr: ['vultr'],
  exoscale: ['exoscale'],
  openstack: ['openstack'],
  vsphere: ['vsphere', 'vmware'],
  proxmox: ['proxmox'],
  heroku: ['heroku'],
  fastly: ['fastly'],
  okta: ['okta'],
  auth0: ['auth0'],
  pagerduty: ['pagerduty', 'pager duty'],
  opsgenie: ['opsgenie'],
  newrelic: ['new relic', 'newrelic'],
  grafana: ['grafana cloud'],
  snowflake: ['snowflake'],
  databricks: ['databricks'],
  mongodbatlas: ['mongodb atlas', 'mongodbatlas', 'atlas cluster'],
  confluent: ['confluent'],
  vercel: ['vercel'],
  netlify: ['netlify'],
  rancher2: ['rancher'],
  nutanix: ['nutanix'],
  launchdarkly: ['launchdarkly'],
  sentry: ['sentry'],
  pingdom: ['pingdom'],
  splunk: ['splunk cloud'],
  yandex: ['yandex'],
  upcloud: ['upcloud'],
  equinix: ['equinix metal'],
}

/** Providers that run what a module describes: a query that names one wants modules of it. The others are tools. */
export const CLOUDS: ReadonlySet<string> = new Set(
  (
    'aws azurerm google oci alicloud digitalocean hcloud ibm tencentcloud ovh scaleway linode vultr exoscale openstack ' +
    'vsphere proxmox heroku yandex upcloud equinix'
  ).split(' '),
)

/** Providers that a name also means. */
export const PROVIDER_FAMILY: Readonly<Record<string, readonly string[]>> = {
  azurerm: ['azurerm', 'azapi', 'azuread'],
  ibm: ['ibm', 'ibm-beta'],
}
