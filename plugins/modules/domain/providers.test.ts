import assert from 'node:assert/strict'
import { test } from 'node:test'
import { moduleTags, primaryProvider, providerNames, providersMeant } from './providers.ts'

function summary(
  providers: readonly string[],
  types: readonly string[],
  repository = 'https://git.example.com/acme/x',
) {
  return {
    repository,
    path: 'modules/VPC-endpoints',
    providers: providers.map((source) => ({ name: source.split('/').at(-1) ?? '', source, version: '' })),
    resources: types.map((type) => ({ type, name: 'this' })),
    data: [],
  }
}

test('the primary provider has most blocks; google-beta counts as google', () => {
  assert.equal(primaryProvider(summary(['hashicorp/aws', 'acme/gcp'], ['gcp_a', 'gcp_b', 'aws_a'])), 'gcp')
  assert.equal(
    primaryProvider(
      summary(['hashicorp/aws', 'hashicorp/google-beta'], ['google-beta_a', 'google_b', 'aws_a']),
    ),
    'google',
  )
})

test('a utility is primary only when it is alone', () => {
  assert.equal(
    primaryProvider(summary(['hashicorp/random', 'hashicorp/aws'], ['random_id', 'random_pet'])),
    'aws',
  )
  assert.equal(
    primaryProvider(summary(['aztfmod/azurecaf', 'hashicorp/azurerm'], ['azurecaf_name', 'azurecaf_names'])),
    'azurerm',
  )
  assert.equal(primaryProvider(summary(['hashicorp/null', 'hashicorp/random'], ['random_id'])), 'random')
})

test('without providers the name of the repository tells', () => {
  assert.equal(
    primaryProvider(summary([], [], 'git@git.example.com:acme/terraform-azurerm-vnet.git')),
    'azurerm',
  )
  assert.equal(primaryProvider(summary([], [], 'https://git.example.com/acme/network')), 'unknown')
})

test('provider names and tags are normalised and listed once', () => {
  const module = summary(['hashicorp/Google-Beta', 'registry.example.com/hashicorp/google', 'aws'], [])

  assert.deepEqual(providerNames(module), ['google', 'aws'])
  assert.deepEqual(moduleTags(module), ['modules', 'vpc-endpoints', 'google', 'aws'])
})

test('a provider filter knows families and spellings', () => {
  assert.ok(providersMeant('azure').includes('azapi'))
  assert.deepEqual(providersMeant('GCP'), ['google'])
  assert.deepEqual(providersMeant('google-beta'), ['google'])
  assert.deepEqual(providersMeant('hashicorp/aws'), ['aws'])
  assert.ok(!providersMeant('amazon').includes('azurerm'))
})
