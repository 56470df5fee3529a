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

/**
 * Products whose name says which cloud they belong to. In "the X of Y" the product names what is wanted and its cloud is
 * not the wanted one.
 */
export const PRODUCTS_OF: Readonly<Record<string, readonly string[]>> = {
  aws: (
    's3 ec2 rds eks ecs ecr efs fsx sns sqs msk lambda dynamodb redshift aurora route53 cloudfront cloudwatch cloudtrail ' +
    'kinesis eventbridge elasticache fargate guardduty athena glue emr acm cognito sagemaker codebuild codepipeline ' +
    'transit-gateway beanstalk app-runner step-functions secrets-manager aws-backup waf ebs elb alb nlb ' +
    'lightsail neptune documentdb keyspaces memorydb timestream bedrock textract rekognition polly lex quicksight ' +
    'appsync appstream workspaces amplify firehose mwaa ses pinpoint greengrass iot-core storage-gateway datasync ' +
    'direct-connect global-accelerator mediaconvert medialive codeartifact codecommit codedeploy macie inspector ' +
    'security-hub control-tower lake-formation'
  ).split(' '),
  azurerm: (
    'aks cosmosdb cosmos-db key-vault keyvault app-service blob-storage service-bus event-hub event-hubs front-door ' +
    'application-gateway log-analytics expressroute virtual-wan vnet azure-functions bicep synapse ' +
    'virtual-desktop data-factory logic-app logic-apps event-grid notification-hub notification-hubs signalr sentinel ' +
    'purview api-management cognitive-search stream-analytics power-bi bot-service static-web-app databox'
  ).split(' '),
  google: (
    'gke bigquery gcs pubsub pub-sub cloud-run cloud-sql memorystore spanner bigtable firestore dataproc dataflow ' +
    'cloud-armor vertex-ai cloud-nat cloud-build cloud-functions cloud-composer cloud-tasks filestore apigee looker dataform ' +
    'dataplex alloydb'
  ).split(' '),
  oci: ['oke', 'vcn'],
}

/** Products that belong to no cloud. */
export const OTHER_PRODUCTS: readonly string[] = (
  'airflow ansible argocd blockchain cassandra ceph consul couchbase debezium drupal ethereum gitlab hadoop influxdb jenkins ' +
  'jira keycloak mariadb mongodb mysql neo4j nomad openvpn rabbitmq salesforce sendgrid servicenow sharepoint shopify sonarqube tableau teamcity wireguard wordpress'
).split(' ')
