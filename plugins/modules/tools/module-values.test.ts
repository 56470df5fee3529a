import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readerPages } from '../../../test/harness/reader-pages.ts'
import { oneModule } from '../testing/one-module.ts'

const MODULE = `variable "network_rules" {
  type        = map(string)
  default     = {}
  description = "Null opens it to all."
}
variable "none" {
  default = null
}
variable "list" {
  default = []
}
variable "word" {
  default = "true"
}
variable "flag" {
  default = true
}
variable "code" {
  default = local.a
}
variable "groups" {
  type = map(object({ # the "groups" of it
    name = string // shown
    mark = optional(string, "#1")
  }))
}
variable "id" {
  type = string
  validation {
    condition = ( # of AWS
      startswith(var.id, "vpc-#")
    )
    error_message = "Not an id."
  }
  validation {
    condition     = anytrue([${Array.from({ length: 40 }, (_, at) => `var.id == "vpc-${at}"`).join(', ')}])
    error_message = "It must be a known one."
  }
}
output "empty" { value = {} }
`

test('a model that reads only text can tell the values of a module apart', async (t) => {
  const { opened } = await oneModule(t, MODULE)

  for (const asked of [{}, { detail: 'full' }, { fields: ['variables'] }, { inputs: ['*'] }]) {
    const pages = await readerPages(
      opened,
      'get_module',
      { repository: 'terraform-aws-box', ...asked },
      'text',
    )
    const text = pages.map((page) => page.text).join('\n')
    const rows = new Map(
      ['network_rules', 'none', 'list', 'word', 'flag', 'code'].map((name) => [
        name,
        new RegExp(`\\b${name}\\b[^\\n]*?(?:default: | \\| false \\| )(\\S+)`).exec(text)?.[1],
      ]),
    )

    assert.deepEqual(
      [...rows],
      [
        ['network_rules', '{}'],
        ['none', 'null'],
        ['list', '[]'],
        ['word', '"true"'],
        ['flag', 'true'],
        ['code', 'local.a'],
      ],
      text,
    )
  }
})

test('the short views of an input say what its validation demands, and leave comments out of its type', async (t) => {
  const { opened } = await oneModule(t, MODULE)
  const inputs = async (asked: Record<string, unknown>) => {
    const { module } = await opened.call('get_module', { repository: 'terraform-aws-box', ...asked })
    return (module as { variables: { name: string; type: string; rules?: string[] }[] }).variables
  }
  const rules = ['( startswith(var.id, "vpc-#") )', 'It must be a known one.']

  const compact = await inputs({})
  const narrow = await inputs({ inputs: ['id', 'list'] })

  assert.deepEqual(compact.find(({ name }) => name === 'id')?.rules, rules)
  assert.deepEqual(
    narrow.map((input) => input.rules),
    [undefined, rules],
  )
  assert.equal(
    compact.find(({ name }) => name === 'groups')?.type,
    'map(object({ name = string mark = optional(string, "#1") }))',
  )
})
