import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { checkInputs } from '../domain/check.ts'
import { brokenRules } from '../domain/check-rules.ts'
import type { Json, Variable } from '../domain/summary.ts'
import { parseType } from '../domain/type-constraint.ts'
import { readModuleBlocks } from '../hcl/module-blocks.ts'
import { oneModule } from '../testing/one-module.ts'

const MODULE = `terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
      configuration_aliases = [aws.east]
    }
  }
}
variable "size" {
  default = "small"
  validation {
    condition     = contains(["small", "large"], var.size)
    error_message = "Size must be small or large."
  }
}
output "arn" { value = "x" }
`

async function project(t: TestContext) {
  const { opened, url } = await oneModule(t, MODULE)
  const found = async (hcl: string): Promise<string[]> => {
    const { blocks, problems } = await opened.call('module_check', { hcl })
    assert.deepEqual(problems, [])
    const findings = (blocks as { findings: { line: number; code: string }[] }[]).flatMap(
      (one) => one.findings,
    )
    return findings.map(({ line, code }) => `${line} ${code}`)
  }
  return { url, found }
}

/** A block without a fault; its providers are at line 3. */
function block(url: string, rest = '', providers = '{ aws.east = aws }', name = 'box'): string {
  return `module "${name}" {\n  source    = "git::${url}?ref=v1.0.0"\n  providers = ${providers}\n${rest}}\n`
}

function registry(version: string): string {
  return `module "box" {\n  source  = "acme/none/aws"\n  version = ${version}\n}\n`
}

test('a block is checked beside its arguments: names, meta-arguments, outputs that are read, providers', async (t) => {
  const { url, found } = await project(t)
  const right = block(url, '  size = "large"\n  count = 1\n')
  const read = (output: string): string => `output "x" {\n  value = module.box[0].${output}\n}\n`
  const cases: [hcl: string, findings: string[]][] = [
    [right + read('arn'), []],
    [block(url) + block(url, '', '{ aws.east = aws.west }', 'other'), []],
    [block(url, '  count = 1\n  for_each = {}\n'), ['5 count_and_for_each']],
    [right + read('arm'), ['8 unknown_output']],
    [`${right}output "x" {\n  value = try(one(module.box[0].arm).ip, can(module.box[0].arm))\n}\n`, []],
    [
      `${right}output "x" {\n  value = [try(1, 2), module.box[0].arm, retry(module.box[0].arn)]\n}\n`,
      ['8 unknown_output'],
    ],
    [`${right}output "x" {\n  value = false ? module.box[0].arm : true ? 1 : module.box[0].arm\n}\n`, []],
    [`${right}output "x" {\n  value = var.a ? module.box[0].arm : 1\n}\n`, ['8 unknown_output']],
    [`${right}output "x" {\n  value = false ? 1 : module.box.arn\n}\n`, ['8 wrong_index']],
    [`${right}moved {\n  from = module.box.aws_x.a\n  to = module.box.module.y.aws_x.a\n}\n`, []],
    [`${right}removed {\n  from = module.box.aws_x.b\n}\n`, []],
    [`${right}import {\n  to = module.box.aws_x.b\n  id = module.box[0].arm\n}\n`, ['9 unknown_output']],
    [block(url) + block(url), ['5 duplicate_name']],
    [block(url, '  version = "1.0.0"\n'), ['4 version_not_taken']],
    ['module "x" {\n  source  = "./x"\n  version = "1.0.0"\n}\n', ['3 version_not_taken']],
    [registry('"^1.2"'), ['2 module_not_indexed', '3 version_constraint_invalid']],
    [registry('"~> 1.2"'), ['2 module_not_indexed']],
    [registry('""'), ['2 module_not_indexed', '3 version_constraint_invalid']],
    [registry('"^${local.version}"'), ['2 source_computed']],
    [registry('var.latest'), ['2 source_computed']],
    [registry('null'), ['2 module_not_indexed']],
    [block(url, '', '{ aws = aws }'), ['3 missing_provider']],
    [block(url, '', '{ aws.west = aws }'), ['3 unknown_provider', '3 missing_provider']],
    [block(url, '', '{ aws.east = aws, aws.west = aws }'), []], // Terraform only warns
    [block(url, '', 'local.providers'), []],
    [block(url, '  size = "medium"\n'), ['4 rule_broken']],
    [block(url, '  size = var.size\n'), []],
    [block(url, '  size = null\n'), []],
    ['module "x" {\n  source = "./${var.x}"\n}\n', ['2 source_computed']],
    ['module "x" {\n  source = var.x\n}\n', ['2 source_computed']],
    ['module "x" {\n  source = "git::https://h.example/a.git?ref=${local.r}"\n}\n', ['2 source_computed']],
    ['module "x" {\n  source = "modules/x"\n}\n', ['2 source_refused']],
    ['module "x" {\n  source = "x"\n}\n', ['2 source_refused']],
    ...['modules/x/aws', 'github.com/a/b', 'git@h.example:a/b.git', '/opt/x', 'https://h.example/x.zip'].map(
      (source): [string, string[]] => [`module "x" {\n  source = "${source}"\n}\n`, ['2 module_not_indexed']],
    ),
    [block(url, '  rules {\n    a = 1\n  }\n'), ['4 block_refused']],
    [block(url, '  dynamic "rules" {\n    for_each = []\n  }\n'), ['4 block_refused']],
    [block(url, '  lifecycle {\n  }\n'), []],
    [block(url, '  _ {\n    size = "large"\n  }\n'), []],
    [block(url, '  _ {\n    size = "medium"\n    count = 1\n  }\n'), ['5 rule_broken', '6 unknown_input']],
    [block(url, '  count = -1\n'), ['4 block_refused']],
    [block(url, '  depends_on = module.y\n'), ['4 block_refused']],
    [block(url, '  depends_on = concat([module.y], [])\n'), ['4 block_refused']],
    [block(url, '  depends_on = [module.y, aws_x.y[0]]\n'), []],
    [block(url, '', undefined, '1st'), ['1 block_refused']],
    [block(url, '', undefined, 'a.b'), ['1 block_refused']],
    [block(url, '', undefined, '_zürich-2'), []],
    [block(url, '  size = upper(var.a, "b")\n'), ['4 block_refused']],
    [block(url, '  size = var.a ? "small" : []\n'), ['4 block_refused']],
    [block(url, '  size = try(nosuch(), "small")\n'), []],
    [block(url, '  count = null\n'), ['4 block_refused']],
    [block(url, '  count = "2"\n'), []],
    [block(url, '  for_each = null\n'), ['4 block_refused']],
    [block(url, '  size = small\n'), ['4 block_refused']],
    [block(url, '  size = upper("${small}")\n'), ['4 block_refused']],
    [block(url, '  size = var.sizes[small]\n'), ['4 block_refused']],
    [block(url, '  size = join("", [for small in var.a : small])\n'), []],
    [block(url, '  size = "%{ for small in var.a }${small}%{ endfor }"\n'), []],
    [block(url, '  size = provider::acme::size()\n'), []],
    [block(url, '  for_each = ["a"]\n'), ['4 block_refused']],
    [block(url, '  for_each = toset(["a"])\n  size = each.key\n'), []],
    [block(url, '  size = each.key\n'), ['4 block_refused']],
    [block(url, '  size = "a-${count.index}"\n'), ['4 block_refused']],
    [block(url, '  size = "count.index"\n'), ['4 rule_broken']],
    [block(url, '  size = join("", [for each in var.a : each.key])\n'), []],
    [block(url, '  size = self.id\n'), ['4 block_refused']],
    // A text is a part of a directory: what other files declare is not known.
    [block(url, '  size = var.none\n  depends_on = [module.none, aws_x.none]\n'), []],
    [block(url, '  count = 1\n') + read('arn').replace('[0]', ''), ['7 wrong_index']],
    [block(url) + read('arn'), ['6 wrong_index']],
    [block(url) + read('arn').replace('[0]', '[*]'), []],
    [block(url, '  for_each = toset(["a"])\n') + read('arm').replace('[0]', '.a'), ['7 unknown_output']],
    [block(url, '  size = ["a"]\n').replace('["a"]', 'tolist(["a"])'), []], // of any type
  ]
  for (const [hcl, findings] of cases) assert.deepEqual(await found(hcl), findings, hcl)
  // Two blocks of one name: what is read of them is not known.
  assert.deepEqual(await found(block(url) + block(url) + read('arm')), ['5 duplicate_name'])
})

test('a rule is broken only by what breaks it for sure', () => {
  const rules: [condition: string, value: string | number | boolean | string[], isBroken: boolean][] = [
    ['contains(["a", "b"], var.x)', 'c', true],
    ['contains( [\n  "a",\n  "b",\n ], var.x )', 'c', true],
    ['contains(["a", "b"], var.x)', 'b', false],
    ['var.x == null || contains(["a"], var.x)', 'c', true],
    ['(var.x == null || contains(["a"], var.x))', 'a', false],
    ['contains([1, 2], var.x)', 3, true],
    ['contains([1, 2], var.x)', '3', false], // Terraform converts: left alone
    ['contains(["1"], var.x)', 1, false],
    ['contains([local.a], var.x)', 'c', false],
    ['contains(["a"], lower(var.x))', 'A', false],
    ['contains(["a"], var.xy)', 'c', false],
    ['!contains(["a"], var.x)', 'c', false],
    ['contains(["a || b"], var.x)', 'c', true],
    ['var.x >= 1 && var.x <= 5', 6, true],
    ['var.x >= 1 && var.x <= 5', 5, false],
    ['var.x > 0 || var.x == -1', -1, false],
    ['var.x > 0 ? true : false', 0, true],
    ['length(var.x) <= 3', 'abcd', true],
    ['length(var.x) <= 3', 'abc', false],
    ['length(var.x) > 0', [], true],
    ['length(var.x) <= 1', 'é'.normalize('NFD'), false], // characters as Terraform counts them
    ['length(var.x <= 3', 'abcd', false],
    ['can(regex("^a", var.x))', 'b', true],
    ['can(regex("^a", var.x))', 'ab', false],
    ['can(regex("(?i)^A", var.x))', 'b', false], // means another thing here
    ['can(regex("^(a+)+$", var.x))', 'b', false], // may take long
    ['can(regex("^((a+)a)+$", var.x))', 'b', false],
    ['can(regex("^[a-z][a-z0-9-]{1,3}$", var.x))', 'Ab', true],
    ['length(regexall("[^a-z]", var.x)) == 0', 'a1', true],
    ['length(regexall("[^a-z]", var.x)) == 0', 'ab', false],
    ['contains(["a", "b"], lower(var.x))', 'C', true],
    ['contains(["a", "b"], lower(var.x))', 'B', false],
    ['contains(["i"], lower(var.x))', '\u0130', false],
    ['var.x != null ? contains(["a"], var.x) : true', 'c', true],
    ['var.x == null ? true : contains(["a"], var.x)', 'c', true],
    ['var.x == null ? true : contains(["a"], var.x)', 'a', false],
    ['contains(["a"], coalesce(var.x, "a"))', 'c', true],
    ['contains(["a"], coalesce(var.x, "a"))', '', false],
    ['try(contains(["a"], var.x), true)', 'c', true],
    ['contains(toset(["a", "b"]), var.x)', 'c', true],
    ['var.x == "a" || var.x == "b"', 'c', true],
    ['var.x == "a" || var.x == "b"', 'b', false],
    ['var.x == "a" || local.free', 'c', false],
    ['local.bad ? false : false', 'c', true],
    ['!contains(["a"], var.x)', 'a', true],
    ['!(var.x == "a")', 'a', true],
    ['alltrue([for one in var.x : contains(["a"], one)])', ['a', 'b'], true],
    ['alltrue([for one in var.x : contains(["a"], one)])', ['a'], false],
    ['alltrue([for one in var.x : one != "b" if one != "b"])', ['b'], false],
    ['anytrue([for one in var.x : one == "a"])', ['b'], true],
    ['alltrue([for at, one in var.x : at < 1])', ['a', 'b'], false], // a set has no places
    ['floor(var.x) == var.x', 1.5, true],
    ['var.x % 2 == 0', 3, true],
    ['startswith(var.x, "a")', 'b', true],
    ['var.x.a == "b"', 'c', false],
    ['var.x[0] == "b"', ['c'], false],
    ['length(var.x, 1) > 0', 'c', false], // Terraform refuses it
    ['length(["a", "b"]...) == 5', 'c', false],
    [`${'('.repeat(5000)}false`, 'c', false],
    [`${'1+'.repeat(3990)}1 == 0`, 'c', false],
    [`${'!'.repeat(5000)}false`, 'c', false],
    ['false', 'c', true],
  ]
  for (const [condition, value, isBroken] of rules) {
    const variable = { name: 'x', validations: [{ condition, error_message: 'No.' }] }
    const found = brokenRules(variable, { type: parseType('any'), value: { kind: 'literal', value } })
    assert.equal(found.length > 0, isBroken, `${condition} with ${JSON.stringify(value)}`)
  }
})

test('a rule gets the converted value: absent attributes are null, and expressions are unknown', () => {
  const kind = 'object({ kind = string, name = optional(string), size = optional(number, 3) })'
  const cases: [type: string, hcl: string, condition: string, isBroken: boolean][] = [
    ['string', '1', 'contains(["2", "3"], var.x)', true],
    ['string', '1', 'contains(["1"], var.x)', false],
    ['number', '"0"', 'var.x >= 1', true],
    ['number', '"1e9999"', 'var.x < 1', false],
    ['bool', '"true"', 'var.x == false', true],
    [kind, '{ kind = "No" }', 'var.x != null ? contains(["A", "B"], var.x.kind) : true', true],
    [kind, '{ kind = local.k }', 'var.x != null ? contains(["A", "B"], var.x.kind) : true', false],
    [kind, '{ kind = "A", name = var.n }', 'contains(["B"], var.x.kind)', true],
    [kind, '{ kind = "A" }', 'var.x.name != null', true],
    [kind, '{ kind = "A" }', 'var.x.size > 3', false], // a default is not evaluated
    [kind, '{ kind = "A", size = null }', 'var.x.size > 3', false],
    ['list(string)', '["a", local.b]', 'alltrue([for v in var.x : contains(["b"], v)])', true],
    ['list(string)', '["b", local.b]', 'alltrue([for v in var.x : contains(["b"], v)])', false],
    ['map(string)', '{ a = "c" }', 'alltrue([for k, v in var.x : k != "a"])', true],
    ['map(string)', '{ a = "c" }', 'lookup(var.x, "b", "") != ""', true],
    ['map(string)', '{ a = "c" }', 'lookup(var.x, "a", "") != ""', false],
    ['map(string)', '{ "${local.k}" = "c" }', 'lookup(var.x, "b", "") != ""', false],
    ['map(string)', '{ (local.k) = "c" }', 'lookup(var.x, "b", "") != ""', false],
    ['map(string)', '{ a = local.c }', 'lookup(var.x, "a", "") != ""', false],
    ['map(string)', '{ a = "c" }', 'lookup(var.x, "b") != ""', false], // Terraform refuses it
    ['list(string)', '["a", "a"]', 'length(distinct(var.x)) == length(var.x)', true],
    ['list(string)', '["a", "b"]', 'length(distinct(var.x)) == length(var.x)', false],
    ['list(string)', '["a", local.a]', 'length(distinct(var.x)) == 1', false],
    ['string', '"c"', 'contains(concat(["a"], ["b"]), var.x)', true],
    ['string', '"b"', 'contains(concat(["a"], ["b"]), var.x)', false],
    ['string', '"c"', 'contains(concat(["a"], [local.c]), var.x)', false],
    ['map(number)', '{ a = 3 }', 'alltrue([for v in values(var.x) : v < 3])', true],
    ['any', '["1", 2]', 'contains([3], 1) || alltrue([for v in var.x : v == "1"])', false],
    ['unheard(of)', '"a"', 'var.x == "b"', false],
  ]
  for (const [type, hcl, condition, isBroken] of cases) {
    const { blocks } = readModuleBlocks(`module "m" {\n  source = "./m"\n  x = ${hcl}\n}\n`)
    const value = blocks[0]?.inputs[0]?.value ?? { kind: 'expression' }
    const variable = { name: 'x', validations: [{ condition, error_message: 'No.' }] }
    const found = brokenRules(variable, { type: parseType(type), value })
    assert.equal(found.length > 0, isBroken, `${type}: ${condition} with ${hcl}`)
  }
})

test('a rule may be about other inputs, and holds for defaults and for null', () => {
  const check = (inputs: string): string[] => {
    const { blocks } = readModuleBlocks(`module "m" {\n  source = "./m"\n${inputs}}\n`)
    return blocks
      .flatMap((one) => checkInputs(one, { variables: SIZES }))
      .map(({ line, code }) => `${line} ${code}`)
  }
  const cases: [inputs: string, findings: string[]][] = [
    ['', []],
    ['  max = 2\n', ['3 rule_broken']],
    ['  size = 9\n', ['1 rule_broken']],
    ['  size = "9"\n  max = 10\n', []],
    ['  size = var.size\n  max = 2\n', []],
    ['  size = null\n  max = 2\n', ['4 rule_broken']], // its default
    ['  name = null\n', ['3 rule_broken']],
    ['  name = true ? null : "a"\n', ['3 rule_broken']],
    ['  name = "ab"\n', []],
    ['  max = 7\n  zone = null\n', ['4 rule_broken']], // its default
    ['  max = 8\n  zone = null\n', []],
  ]
  for (const [inputs, findings] of cases) assert.deepEqual(check(inputs), findings, inputs)
})

const SIZES: readonly Variable[] = [
  { name: 'size', type: 'number', description: '', default: 3, required: false, nullable: false },
  {
    name: 'max',
    type: 'number',
    description: '',
    default: 5,
    required: false,
    validations: [{ condition: 'var.max >= var.size', error_message: 'Too small.' }],
  },
  {
    name: 'name',
    type: 'string',
    description: '',
    default: 'ab',
    required: false,
    validations: [{ condition: 'can(regex("^[a-z]+$", var.name))', error_message: 'Lower case.' }],
  },
  {
    name: 'zone',
    type: 'string',
    description: '',
    default: 'a',
    required: false,
    nullable: false,
    validations: [{ condition: 'var.max != 7 || var.zone != "a"', error_message: 'Not a.' }],
  },
]

test('a length is that of the value once it has its type', () => {
  const sizes: [type: string, value: Json, rule: string, isBroken: boolean][] = [
    ['set(string)', ['a', 'b', 'a'], '<= 2', false],
    ['set(string)', ['a', 'b', 'c'], '<= 2', true],
    ['set(string)', ['a', 'a'], '>= 2', true],
    ['set(string)', [1, '1', 2], '<= 2', false],
    ['set(string)', [true, 'true'], '<= 1', false],
    ['set(number)', ['1', 1, '1.0'], '<= 1', false],
    ['set(number)', [1, 2], '<= 1', true],
    ['set(bool)', [true, 'true', '1'], '<= 1', false],
    ['set(any)', ['a', 'a', 'b'], '<= 2', false],
    ['set(any)', [1, '1', 2], '<= 2', false],
    ['set', ['a', 'b'], '<= 1', true],
    ['set(number)', ['0.1000000000000000000001', '0.1'], '<= 1', false],
    ['set(object({ a = string }))', [{ a: '1' }, { a: 1 }], '<= 1', false],
    ['set(object({ a = string }))', [{ a: '1' }, { a: 1 }], '>= 3', true],
    ['set(object({ a = string }))', [], '> 0', true],
    ['set(set(string))', [['a'], ['a', 'a']], '<= 1', false],
    ['list(string)', ['a', 'b', 'a'], '<= 2', true],
    ['any', ['a', 'b', 'a'], '<= 2', true],
    ['map(string)', { a: 1, b: 2 }, '<= 1', true],
    ['object({ a = string })', { a: 1, b: 2 }, '<= 1', false],
    ['object({ a = string, b = optional(string) })', { a: 1 }, '>= 2', false],
  ]
  for (const [type, value, rule, isBroken] of sizes) {
    const validations = [{ condition: `length(var.x) ${rule}`, error_message: 'No.' }]
    const found = brokenRules(
      { name: 'x', validations },
      { type: parseType(type), value: { kind: 'literal', value } },
    )
    assert.equal(found.length > 0, isBroken, `${type} ${rule} with ${JSON.stringify(value)}`)
  }
})
