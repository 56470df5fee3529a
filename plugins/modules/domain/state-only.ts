/** What can be removed from a module without anything being destroyed outside of the state. */

/** Resources that exist in the state only. */
const STATE_ONLY =
  /^(?:null_resource|terraform_data|(?:time|random|modtm)_\w+|azapi_(?:update_resource|resource_action))\./
/** Destroying these only forgets them: the documents of their provider say so. */
const FORGOTTEN = /^(?:aws_default_\w+|aws_s3_bucket_acl)\./
/** Empty deployments by which the use of Azure's modules was counted. */
const TELEMETRY = /^azurerm_\w+_template_deployment\.telem(?:etry)?$/
/** Modules without resources: names, policies and definitions as JSON, networks cut into subnets. */
const COMPUTES =
  /(?:null-label|terraform-terraform-label|[/]label[/]null|[/]tf_label\b|iam-policy-document-aggregator|ecs-container-definition|hashicorp[/]subnets[/]cidr|[/]naming[/]azurerm|avm-utl-)/

/** Whether the removal of a resource destroys nothing outside of the state. */
export function isStateOnly(address: string): boolean {
  return [STATE_ONLY, FORGOTTEN, TELEMETRY].some((pattern) => pattern.test(address))
}

/** Whether a nested module, by its source, has no resources. */
export function computesOnly(source: string): boolean {
  return COMPUTES.test(source)
}
