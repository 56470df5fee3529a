import assert from 'node:assert/strict'
import { test } from 'node:test'
import { typePaths } from '../domain/type-paths.ts'
import { oneModule } from '../testing/one-module.ts'

test('every place in a value has a path, its type and the default of optional()', () => {
  const rows: [type: string, paths: string[]][] = [
    ['string', []],
    ['list(string)', []],
    [
      'map(object({ size = number, tags = optional(map(string), {}) }))',
      ['x.*.size number !', 'x.*.tags map(string) = {}'],
    ],
    [
      'list(object({ port = optional(number, 443), to = object({ cidr = optional(string) }) }))',
      ['x[].port number = 443', 'x[].to object({…}) !', 'x[].to.cidr string'],
    ],
    ['tuple([string, object({ a = bool })])', ['x[1].a bool !']],
    ['set(list(object({ a = any })))', ['x[][].a any !']],
    ['object({ a = ', []],
  ]

  for (const [type, expected] of rows) {
    const found = typePaths('x', type).map(({ path, type: text, required, fallback }) => {
      const stated = fallback === undefined ? '' : ` = ${fallback.replaceAll(' ', '')}`
      return `${path} ${text}${required ? ' !' : stated}`
    })
    assert.deepEqual(found, expected, type)
  }
  const wide = Array.from({ length: 20 }, (_, at) => `a${at} = any`).join(', ')
  const nested = Array.from({ length: 3 }, () => 0).reduce(
    (inner) => `object({ ${Array.from({ length: 20 }, (_, at) => `b${at} = ${inner}`).join(', ')} })`,
    `object({ ${wide} })`,
  )
  assert.ok(typePaths('x', nested).length <= 5_000)
})

const MODULE = `variable "endpoint_mode" {
  type    = string
  default = "private"
}
variable "node_groups" {
  type = map(object({
    size     = number
    endpoint = optional(object({ port = optional(number, 443) }), {})
    labels   = optional(map(string), local.labels)
  }))
  description = "Groups of nodes"
}
variable "tags" {}
output "cluster_endpoint" { value = "x" }
output "arn" {
  value       = "y"
  description = "Name of the endpoint's owner"
}
output "id" { value = "z" }
`

test('get_module gives inputs with their types by path, and what matches a text', async (t) => {
  const { opened } = await oneModule(t, MODULE)
  const get = async (asked: Record<string, unknown>) => {
    const { module } = await opened.call('get_module', { repository: 'terraform-aws-box', ...asked })
    return module as { variables: Record<string, unknown>[]; outputs?: { name: string }[] }
  }

  const whole = await get({ inputs: ['node_groups'] })
  const matching = await get({ match: 'Endpoint' })
  const both = await get({ inputs: ['node_groups', 'tags'], match: 'port' })
  const some = await get({ outputs: ['id', 'arn'] })
  const allOutputs = await get({ outputs: ['*'], match: 'endpoint' })
  const mixed = await get({ inputs: ['tags'], outputs: ['id'] })

  assert.deepEqual(whole, {
    variables: [
      { name: 'node_groups', type: 'map(object({…}))', required: true, description: 'Groups of nodes' },
      { name: 'node_groups.*.size', type: 'number', required: true },
      { name: 'node_groups.*.endpoint', type: 'object({…})', default: {} },
      { name: 'node_groups.*.endpoint.port', type: 'number', default: 443 },
      {
        name: 'node_groups.*.labels',
        type: 'map(string)',
        default: 'local.labels',
        default_expression: true,
      },
    ],
  })
  assert.deepEqual(
    [matching.variables, matching.outputs].map((rows) => rows?.map(({ name }) => name)),
    [
      ['endpoint_mode', 'node_groups.*.endpoint', 'node_groups.*.endpoint.port'],
      ['cluster_endpoint', 'arn'],
    ],
  )
  assert.deepEqual(
    both.variables.map(({ name }) => name),
    ['node_groups.*.endpoint.port'],
  )
  assert.deepEqual(some, {
    outputs: [{ name: 'arn', description: "Name of the endpoint's owner" }, { name: 'id' }],
  })
  assert.deepEqual(Object.keys(allOutputs), ['outputs'])
  assert.deepEqual(
    allOutputs.outputs?.map(({ name }) => name),
    ['cluster_endpoint', 'arn'],
  )
  assert.deepEqual([mixed.variables.length, mixed.outputs], [1, [{ name: 'id' }]])
  for (const [asked, named] of [
    [{ inputs: ['node_group'] }, /no input "node_group"\. Did you mean "node_groups"\?/],
    [{ outputs: ['cluster_endpoints'] }, /no output "cluster_endpoints"\. Did you mean "cluster_endpoint"\?/],
  ] as const)
    await assert.rejects(get(asked), { code: 'invalid', reason: 'options_invalid', message: named })
})
