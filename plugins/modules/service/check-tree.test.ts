import assert from 'node:assert/strict'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/harness/index.ts'
import type { Reported } from '../answers/check-report.ts'
import { checkedFiles, checkedFolder } from '../testing/checked-tree.ts'
import { readCallTree } from './call-tree.ts'

/** The findings as `file:line code`. */
async function checked(...given: Parameters<typeof checkedFiles>): Promise<string[]> {
  return shown(await checkedFiles(...given))
}

function shown(findings: readonly Reported[]): string[] {
  return findings.map(({ file, line, code }) => `${file}:${line} ${code}`)
}

const BOX = `variable "size" { type = number }
output "arn" { value = "x" }
`

test('a local module is read where it is: its inputs, and outputs that other files read', async (t) => {
  const found = await checked(t, {
    'modules/box/main.tf': BOX,
    'live/main.tf': 'module "a" {\n  source = "../modules/box"\n  size   = "many"\n  sise   = 1\n}\n',
    'live/outputs.tf': 'output "a" {\n  value = [module.a.arn, module.a.arm]\n}\n',
    'live/deeper/still/main.tf': 'module "b" {\n  source = "../../../modules/box"\n}\n',
  })

  assert.deepEqual(found, [
    'live/deeper/still/main.tf:1 missing_input',
    'live/main.tf:3 wrong_type',
    'live/main.tf:4 unknown_input',
    'live/outputs.tf:2 unknown_output',
  ])
})

test('a local source without code is found; one outside of the tree and one that is not understood are said not to be judged', async (t) => {
  const found = await checked(t, {
    'live/main.tf':
      'module "a" {\n  source = "./none"\n}\nmodule "b" {\n  source = "../../../../../../usr"\n  x = 1\n}\nmodule "c" {\n  source = "../broken"\n  x = 1\n}\n',
    'broken/main.tf': 'variable "a" {\n',
  })

  assert.deepEqual(found, [
    'live/main.tf:2 local_module_missing',
    'live/main.tf:5 local_module_outside',
    'live/main.tf:9 module_not_whole',
  ])
})

test('a directory without code is a module without inputs', async (t) => {
  const found = await checked(t, {
    'notes/README.md': '# Notes\n',
    'live/main.tf':
      'module "a" {\n  source = "../notes"\n}\nmodule "b" {\n  source = "../notes"\n  size = 1\n}\nmodule "c" {\n  source = "../notes/README.md"\n}\n',
  })

  assert.deepEqual(found, ['live/main.tf:5 local_module_missing', 'live/main.tf:9 local_module_missing'])
})

test('a module that Terraform refuses is reported, and its call is still checked', async (t) => {
  const twice = 'variable "size" {}\nvariable "size" {}\n'
  const found = await checked(t, {
    'twice/main.tf': twice,
    'live/main.tf': 'module "a" {\n  source = "../twice"\n  sise = 1\n}\n',
  })

  assert.deepEqual(found, [
    'live/main.tf:1 missing_input',
    'live/main.tf:2 module_not_whole',
    'live/main.tf:3 unknown_input',
  ])
})

test('a finding that comes from a .tofu file says so, except in a .tofu file', async (t) => {
  const call = 'module "a" {\n  source = "../box"\n  size = 1\n}\n'
  const files = {
    'box/main.tf': BOX,
    'box/main.tofu': 'variable "length" {}\n',
    'live/main.tf': call,
    'tofu/main.tofu': call,
  }

  const found = await checkedFiles(t, files, { typed: '.' })

  const told = found.map(({ file, code, message }) => [file, code, message.includes('for OpenTofu')])
  assert.deepEqual(told, [
    ['live/main.tf', 'missing_input', true],
    ['live/main.tf', 'unknown_input', true],
    ['tofu/main.tofu', 'missing_input', false],
    ['tofu/main.tofu', 'unknown_input', false],
  ])
})

test('names count over all files of a directory, override files replace what they state', async (t) => {
  const call = (name: string, rest = '') => `module "${name}" {\n  source = "../box"\n${rest}}\n`
  const found = await checked(t, {
    'box/main.tf': BOX,
    'live/a.tf': call('one', '  size = 1\n') + call('two'),
    'live/b.tf': call('one', '  size = 1\n'),
    'live/b_override.tf': 'module "two" {\n  size = 2\n}\n',
    'live/other/a.tf': 'module "one" {\n  source = "../../box"\n  size = 1\n}\n',
  })

  // Terraform 1.11: "The argument "size" is required", at the block that lacks it.
  assert.deepEqual(found, ['live/a.tf:5 missing_input', 'live/b.tf:1 duplicate_name'])
})

test('a block that an override file changes is judged as Terraform merges it', async (t) => {
  const box = 'variable "size" {\n  type    = number\n  default = 1\n}\noutput "arn" {\n  value = 1\n}\n'
  const call = (rest: string) => `module "a" {\n${rest}}\n`
  const base = call('  source = "../box"\n')
  const rows: [live: string, override: string, found: string[]][] = [
    [base, call('  size = 2\n'), []],
    [base, call('  size = "x"\n'), ['live/main.tf:1 wrong_type']],
    [base, call('  sise = 2\n'), ['live/main.tf:1 unknown_attribute']],
    [base, call('  other {\n  }\n'), []],
    [base, call('  depends_on = []\n'), ['live/main_override.tf:2 block_refused']],
    [base, 'module "b" {\n  source = "../box"\n}\n', ['live/main_override.tf:1 block_refused']],
    [call(''), call('  source = "../box"\n'), ['live/main.tf:1 source_missing']],
    [call('  source = "../box"\n  sise = 2\n'), call('  size = 2\n'), ['live/main.tf:3 unknown_attribute']],
    [call('  source = "../box"\n  size = local.none\n'), call('  size = 2\n'), []],
    [
      call('  source = "../box"\n  size = local.none\n'),
      call('  count = 2\n'),
      ['live/main.tf:3 undeclared_name'],
    ],
    [
      `${call('  source = "../box"\n  for_each = { x = 1 }\n')}output "x" {\n  value = module.a[0].arn\n}\n`,
      call('  count = 2\n'),
      [],
    ],
    [base, call('  count = 1\n  for_each = {}\n'), ['live/main.tf:1 count_and_for_each']],
    [`${base}output "x" {\n  value = module.a.none\n}\n`, 'output "x" {\n  value = module.a.arn\n}\n', []],
    [`${base}locals {\n  x = local.none\n}\n`, 'locals {\n  x = 1\n}\n', []],
    [
      `${base}resource "a" "b" {\n  inner {\n    c = local.none\n  }\n}\n`,
      'resource "a" "b" {\n  dynamic "inner" {\n    for_each = []\n  }\n}\n',
      [],
    ],
  ]

  for (const [live, override, expected] of rows) {
    const files = { 'box/main.tf': box, 'live/main.tf': live, 'live/main_override.tf': override }
    assert.deepEqual(await checked(t, files), expected, live + override)
  }
  const json = JSON.stringify({ locals: { x: 1 } })
  const files = { 'live/main.tf': 'locals {\n  x = local.none\n}\n', 'live/override.tf.json': json }
  assert.deepEqual(await checked(t, files), [])
})

test('a module whose override file overrides nothing is one that Terraform refuses', async (t) => {
  const call = 'module "a" {\n  source = "../box"\n  size   = 1\n}\n'
  const box = { 'box/main.tf': BOX, 'live/main.tf': call }

  const found = await checked(t, { ...box, 'box/box_override.tf': 'variable "other" {\n  default = 1\n}\n' })
  const added = await checked(t, {
    ...box,
    'box/box_override.tf':
      'terraform {\n  required_providers {\n    aws = { source = "hashicorp/aws" }\n  }\n}\n',
  })

  assert.deepEqual([found, added], [['live/main.tf:2 module_not_whole'], []])
})

test('count and for_each of a declared type that they cannot have are found; what may be one is not', async (t) => {
  const types = {
    list: 'list(string)',
    tuple: 'tuple([string])',
    text: 'string',
    number: 'number',
    flag: 'bool',
    map: 'map(string)',
    object: 'object({ a = string })',
    set: 'set(string)',
    any: 'any',
  }
  const declared = Object.entries(types).map(([name, type]) => `variable "${name}" {\n  type = ${type}\n}\n`)
  const given = {
    refused: [
      'for_each = var.list',
      'for_each = var.tuple',
      'for_each = var.text',
      'for_each = local.names',
      'for_each = tolist(var.set)',
      'for_each = ["a"]',
      'for_each = [for name in var.map : name]',
      'for_each = concat(var.list, ["a"])',
      'for_each = keys(var.map)',
      'for_each = toset([1, 2])',
      'for_each = toset([true])',
      'count = var.map',
      'count = var.set',
      'count = var.flag',
      'count = var.list',
      'count = local.names',
    ],
    taken: [
      'for_each = var.map',
      'for_each = var.object',
      'for_each = var.set',
      'for_each = var.any',
      'for_each = var.untyped',
      'for_each = toset(var.list)',
      'for_each = var.flag ? toset(var.list) : toset([])',
      'for_each = var.flag ? { a = 1 } : {}',
      'for_each = local.absent',
      'for_each = try(var.list, {})',
      'for_each = { for name in var.list : name => name }',
      'for_each = toset(["a", 1])',
      'for_each = setproduct(var.set, var.set)',
      'for_each = module.other.names',
      'count = var.number',
      'count = var.text',
      'count = var.flag ? 1 : 0',
      'count = length(var.list)',
    ],
  }
  const calls = Object.values(given).flat()
  const found = await checked(t, {
    'box/main.tf': 'output "names" { value = 1 }\n',
    'live/inputs.tf': `${declared.join('')}variable "untyped" {}\nlocals {\n  names = ["a"]\n}\n`,
    'live/main.tf': `module "other" {\n  source = "../box"\n}\n${calls
      .map((call, at) => `module "m${at}" {\n  source = "../box"\n  ${call}\n}\n`)
      .join('')}`,
  })

  const lineOf = (at: number): number => 4 + at * 4 + 2
  assert.deepEqual(
    found.filter((one) => one.endsWith('block_refused')),
    given.refused.map((_, at) => `live/main.tf:${lineOf(at)} block_refused`),
  )
})

test('a version constraint counts as the override file states it, and as JSON states it', async (t) => {
  const call = (name: string, version: string) =>
    `module "${name}" {\n  source  = "acme/none/aws"\n  version = ${version}\n}\n`
  const found = await checked(t, {
    'live/a.tf': call('right', '"latest"') + call('wrong', '"1.0"') + call('unknown', '"latest"'),
    'live/a_override.tf':
      'module "right" {\n  version = "1.0"\n}\nmodule "wrong" {\n  version = "1.x"\n}\nmodule "unknown" {\n  version = var.latest\n}\n',
    'live/variables.tf': 'variable "latest" {}\n',
    'live/b.tf.json': JSON.stringify({ module: { json: { source: 'acme/none/aws', version: 'latest' } } }),
  })

  assert.deepEqual(
    found.filter((one) => !one.endsWith('module_not_indexed')),
    [
      'live/a.tf:7 version_constraint_invalid',
      'live/a.tf:10 source_computed',
      'live/b.tf.json:1 version_constraint_invalid',
    ],
  )
})

test('calls of .tf.json files are checked; what they template is not a literal', async (t) => {
  const found = await checked(t, {
    'box/main.tf': BOX,
    'live/main.tf.json': JSON.stringify({
      variable: { size: {} },
      module: {
        good: { source: '../box', size: '${var.size}' },
        bad: { source: '../box', size: 'many', more: 1 },
        escaped: { source: '../box', _: { size: 3 } },
      },
    }),
  })

  assert.deepEqual(found, ['live/main.tf.json:1 wrong_type', 'live/main.tf.json:1 unknown_input'])
})

test('a type of block or a label of a .tf.json file may be repeated', async (t) => {
  const found = await checkedFiles(t, {
    'box/main.tf.json':
      '{"variable": {"a": {"type": "string"}}, "output": {"o": {"value": 1}}, "variable": {"b": {"type": "number", "type": "string"}}}',
    'twice/main.tf.json': '{"variable": {"a": {"default": 1}, "a": {"default": 2}}}',
    'live/main.tf':
      'module "a" {\n  source = "../box"\n  a = "x"\n  b = "x"\n}\nmodule "b" {\n  source = "../twice"\n}\n',
  })

  assert.deepEqual(shown(found), ['live/main.tf:4 wrong_type', 'live/main.tf:7 module_not_whole'])
})

test('outputs that the templates of .tf.json files read are checked', async (t) => {
  const output = (value: unknown) => JSON.stringify({ output: { x: { value } } })
  const rows: [json: string, isFound: boolean][] = [
    [output('${module.b.none}'), true],
    [output('${module.b.arn}'), false],
    [output('a-${upper(module.b["x"].none)}'), true],
    [output({ k: ['${module.b.none}', '${module.b.none}'] }), true],
    [output({ '${module.b.none}': 1 }), true],
    [output({ description: '${module.b.none}' }), true],
    [output('module.b.none $${module.b.none}'), false],
    [output('${try(module.b.none, "")}'), false],
    [JSON.stringify({ locals: { x: '${module.b.none}', '//': '${module.b.more}' } }), true],
    [JSON.stringify({ resource: { a: { b: { c: [{ d: '${module.b.none}' }] } } } }), true],
    [JSON.stringify({ output: { x: { value: 1, description: '${module.b.none}' } } }), false],
    [JSON.stringify({ variable: { x: { default: '${module.b.none}' } } }), false],
    [JSON.stringify({ import: [{ to: '${module.b.none}', id: 'x' }] }), false],
    [JSON.stringify({ import: [{ to: 'a.b', id: '${module.b.none}' }] }), true],
  ]
  const calls = [
    ['main.tf', 'module "b" {\n  source = "../box"\n  size   = 1\n}\n'],
    ['main.tf.json', JSON.stringify({ module: { b: { source: '../box', size: 1 } } })],
  ] as const

  for (const [name, call] of calls)
    for (const [json, isFound] of rows) {
      const files = { 'box/main.tf': BOX, [`live/${name}`]: call, 'live/read.tf.json': json }
      assert.deepEqual(await checked(t, files), isFound ? ['live/read.tf.json:1 unknown_output'] : [], json)
    }
})

const needs = (version: string, terraform = '') =>
  `terraform {\n  ${terraform === '' ? '' : `required_version = "${terraform}"`}\n  required_providers {\n    aws = {\n      source = "hashicorp/aws"\n      version = "${version}"\n    }\n  }\n}\n`

test('versions of providers and of Terraform that exclude one another are found, through local modules too', async (t) => {
  const calls = (...sources: string[]) =>
    sources.map((source, at) => `module "m${at}" {\n  source = "${source}"\n}\n`).join('')
  const modules = {
    'five/main.tf': needs('~> 5.0'),
    'six/main.tf': needs('>= 6.0, != 6.0.0', '>= 1.9'),
    'above/main.tf': calls('../six'),
    'old/main.tf': needs('>= 2.0', '< 1.5'),
  }
  const rows: [live: string, found: string[]][] = [
    [needs('>= 5.0') + calls('../five'), []],
    [calls('../five', '../six'), ['live/main.tf:4 provider_conflict']],
    [calls('../six', '../above'), []],
    [needs('< 6.0') + calls('../above'), ['live/main.tf:10 provider_conflict']],
    [calls('../six', '../old'), ['live/main.tf:4 terraform_conflict']],
    [needs('= 6.0.0') + calls('../six'), ['live/main.tf:10 provider_conflict']],
    [needs('not a constraint') + calls('../six'), []],
  ]

  for (const [live, expected] of rows)
    assert.deepEqual(await checked(t, { ...modules, 'live/main.tf': live }), expected, live)
})

test('versions that a .tofu file states count only where OpenTofu is used', async (t) => {
  const live = `${needs('~> 5.0', '~> 1.5.0')}module "m" {\n  source = "../box"\n}\n`
  const files = {
    'box/versions.tf': needs('>= 5.0', '>= 1.4'),
    'box/versions.tofu': needs('>= 6.0', '>= 1.8'),
    'live/main.tf': live,
    'tofu/main.tofu': live,
  }

  assert.deepEqual(await checked(t, files, { typed: '.' }), [
    'tofu/main.tofu:10 provider_conflict',
    'tofu/main.tofu:10 terraform_conflict',
  ])
})

test('modules that call one another in a circle end, and are judged', async (t) => {
  const found = await checked(
    t,
    {
      'live/main.tf': 'module "b" {\n  source = "../b"\n}\n',
      'b/main.tf': 'module "a" {\n  source = "../live"\n}\nmodule "self" {\n  source = "./"\n}\n',
    },
    { typed: '.' },
  )

  assert.deepEqual(found, [])
})

test('links to directories are not walked, hidden and excluded ones are left out, unreadable files are said', async (t) => {
  const root = await temporaryFolder(t)
  const bad = 'module "x" {\n}\n'
  for (const folder of [
    'live/.terraform/modules/x',
    'live/node_modules/x',
    'live/kept',
    'live/test/fixtures',
  ])
    await mkdir(join(root, folder), { recursive: true })
  for (const folder of [
    'live/.terraform/modules/x',
    'live/node_modules/x',
    'live/kept',
    'live/test/fixtures',
  ])
    await writeFile(join(root, folder, 'main.tf'), bad)
  await symlink('..', join(root, 'live/kept/loop'))
  await symlink('loop.tf', join(root, 'live/kept/loop.tf'))
  await writeFile(join(root, 'live/kept/binary.tf'), Buffer.from([0xff, 0x00, 0xfe]))
  await writeFile(join(root, 'live/kept/large.tf'), '#'.repeat(1024 * 1024 + 1))
  await writeFile(join(root, 'live/kept/open.tf'), 'module "y" {\n  source = "./z"\n')

  const found = shown(await checkedFolder(t, root, { exclude: ['test/**'] }))

  assert.deepEqual(found, [
    'live/kept/binary.tf:1 unreadable',
    'live/kept/large.tf:1 unreadable',
    'live/kept/loop.tf:1 unreadable',
    'live/kept/main.tf:1 source_missing',
    'live/kept/open.tf:1 unreadable',
    'live/kept/open.tf:2 local_module_missing',
  ])
  await assert.rejects(readCallTree(root, 'nothing', []), { code: 'not_found', reason: 'file_not_found' })
})
