import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Reported } from '../answers/check-report.ts'
import { type CheckedHow, checkedFiles } from '../testing/checked-tree.ts'

const BOX = 'variable "size" { default = 1 }\noutput "arn" { value = "x" }\n'

/** Checks a folder `live` beside a module `box`. */
function found(
  t: TestContext,
  files: Readonly<Record<string, string | Buffer>>,
  how?: CheckedHow,
): Promise<readonly Reported[]> {
  return checkedFiles(t, { 'box/main.tf': BOX, ...files }, how)
}

/** The findings of one file, as `line code suggestion`. */
async function lines(t: TestContext, text: string): Promise<string[]> {
  const all = await found(t, { 'live/main.tf': text })
  return all.map(({ line, code, suggestion }) => [line, code, suggestion].filter(Boolean).join(' '))
}

function output(value: string): string {
  return `output "x" {\n  value = ${value}\n}\n`
}

const CALL = 'module "net" {\n  source = "../box"\n}\n'

test('a name that no file of the directory declares is found, with a like one that is', async (t) => {
  const declared = `variable "region" {}\nlocals {\n  zone = 1\n}\n${CALL}resource "aws_vpc" "main" {}\ndata "aws_ami" "linux" {}\n`
  const at = declared.split('\n').length + 1
  const cases: [value: string, finding: string | undefined][] = [
    ['[var.region, local.zone, module.net, aws_vpc.main.id, data.aws_ami.linux.id]', undefined],
    ['resource.aws_vpc.main.id', undefined],
    ['var.regoin', 'undeclared_name var.region'],
    ['local.region', 'undeclared_name var.region'],
    ['var.zone', 'undeclared_name local.zone'],
    ['var.other', 'undeclared_name'],
    ['try(var.other, 1)', 'undeclared_name'], // Terraform looks before it evaluates
    ['module.nett.arn', 'undeclared_name module.net'],
    ['aws_vpc.mian.id', 'undeclared_name aws_vpc.main'],
    ['aws_ami.linux.id', 'undeclared_name data.aws_ami.linux'],
    ['data.aws_vpc.main.id', 'undeclared_name aws_vpc.main'],
    ['aws_vcp.main.id', 'undeclared_name aws_vpc.main'],
    ['"${var.regoin}-x"', 'undeclared_name var.region'],
    ['<<-EOT\n    a\n    ${var.regoin}\n  EOT', 'undeclared_name var.region'],
    ['provider::aws::arn_parse("x")', 'undeclared_name'],
    ['core::upper("x")', undefined],
    ['[terraform.workspace, tofu.workspace, path.module]', undefined],
    ['[for aws_vpc in var.region : aws_vpc.x]', undefined],
    ['[for v in var.region : v.x if v.y]', undefined],
    ['{ for k, v in local.zone : k => v... }', undefined],
  ]
  for (const [value, finding] of cases) {
    const line = value.startsWith('<<') ? at + 2 : at
    const expected = finding === undefined ? [] : [`${line} ${finding}`]
    assert.deepEqual(await lines(t, declared + output(value)), expected, value)
  }
})

test('what does not read a name, or may never be evaluated, is left alone', async (t) => {
  const dynamic = (rest: string, iterator = '') =>
    `resource "aws_lb" "a" {\n  dynamic "rule" {\n    for_each = [1]\n${iterator}    content {\n      x = ${rest}\n    }\n  }\n}\n`
  const texts = [
    'resource "aws_lb" "a" {\n  provider = aws.east\n  lifecycle {\n    ignore_changes = [tags, aws_x.y]\n    replace_triggered_by = [aws_x.y]\n  }\n}\n',
    'resource "aws_lb" "a" {\n  provisioner "local-exec" {\n    when = destroy\n    command = self.id\n  }\n}\n',
    `module "net" {\n  source = "../box"\n  providers = { aws = aws.east }\n}\n`,
    'terraform {\n  required_providers {\n    aws = { source = "a/b", configuration_aliases = [aws.x] }\n  }\n  encryption {\n    method "a" "b" {\n      keys = key_provider.pbkdf2.x\n    }\n  }\n}\n',
    'moved {\n  from = aws_x.a\n  to = module.old.aws_x.b\n}\nremoved {\n  from = aws_x.c\n}\nimport {\n  to = aws_x.d\n  id = "x"\n}\n',
    'variable "a" {\n  type = object({ b = optional(string) })\n  default = {}\n}\n',
    'check "c" {\n  data "http" "d" {\n    url = "x"\n  }\n  assert {\n    condition = data.http.d.ok\n    error_message = "no"\n  }\n}\n',
    'provider "aws" {\n  for_each = toset(["a"])\n  alias = "by"\n  region = each.value\n}\nresource "aws_lb" "a" {\n  provider = aws.by[each.key]\n  for_each = toset(["a"])\n}\n',
    'provider "aws" {\n  region = var.none\n}\n', // not evaluated until something uses it
    'ephemeral "random_password" "p" {}\nlocals {\n  p = ephemeral.random_password.p.result\n}\n',
    'action "aws_x" "y" {\n  config {\n    z = var.none\n  }\n}\n',
    dynamic('rule.value.a'),
    dynamic('it.value.a', '    iterator = it\n'),
    dynamic('var.none'), // of no element, it is not evaluated
    output('"no $${var.none}"'),
  ]
  for (const text of texts) assert.deepEqual(await lines(t, text), [], text)
})

test('conditions, checks, imports and depends_on are read too', async (t) => {
  const cases: [text: string, findings: string[]][] = [
    [
      'variable "a" {\n  validation {\n    condition = var.none == 1\n    error_message = "x"\n  }\n}\n',
      ['3 undeclared_name'],
    ],
    [
      'check "c" {\n  assert {\n    condition = local.no\n    error_message = "x"\n  }\n}\n',
      ['3 undeclared_name'],
    ],
    ['import {\n  to = a_b.c\n  id = local.no\n}\n', ['3 undeclared_name']],
    [
      'resource "a_b" "c" {\n  lifecycle {\n    precondition {\n      condition = var.no\n    }\n  }\n}\n',
      ['4 undeclared_name'],
    ],
    [
      'resource "a_b" "c" {\n  depends_on = [a_b.none, module.no, var.no, local.no]\n}\n',
      ['2 undeclared_name', '2 undeclared_name', '2 undeclared_name', '2 undeclared_name'],
    ],
    [
      'resource "a_b" "c" {\n  dynamic "x" {\n    for_each = local.no\n    content {}\n  }\n}\n',
      ['3 undeclared_name'],
    ],
    [
      `${CALL.replace('}\n', '')}  size = var.no\n  depends_on = [a_b.no]\n}\n`,
      ['3 undeclared_name', '4 undeclared_name'],
    ],
  ]
  for (const [text, findings] of cases) assert.deepEqual(await lines(t, text), findings, text)
})

test('where a declaration may be unread, undeclared names are not judged', async (t) => {
  const reads = `${CALL}${output('var.none')}`
  const without: [name: string, files: Record<string, string | Buffer>][] = [
    ['a file that is not text', { 'live/b.tf': Buffer.from([0xff, 0xfe]) }],
    ['a file that is not understood', { 'live/b.tf': 'variable "a" {\n' }],
    ['JSON that is not understood', { 'live/b.tf.json': '{' }],
    ['files that Terragrunt writes', { 'live/terragrunt.hcl': '' }],
    ['files that Terramate writes', { 'live/stack.tm.hcl': '' }],
  ]
  const names = async (files: Record<string, string | Buffer>, options = {}) =>
    (await found(t, { 'live/main.tf': reads, ...files }, options)).filter(
      ({ code }) => code === 'undeclared_name',
    )

  for (const [name, files] of without) assert.deepEqual(await names(files), [], name)
  assert.deepEqual(await names({ 'live/b.tf': '' }, { exclude: ['b.tf'] }), [])
  assert.deepEqual(await names({}, { typed: 'live/main.tf' }), [])
  assert.deepEqual(await names({ 'live/b.tf': 'variable "none" {}\n' }), [])
  assert.deepEqual(await names({ 'live/b_override.tf': 'variable "none" {}\n' }), [])
  assert.deepEqual(await names({ 'live/b.tf.json': '{"variable": {"none": {}}}' }), [])
  assert.equal((await names({ 'live/b.tf': '' })).length, 1)
})

test('JSON declares and reads names as HCL does', async (t) => {
  const names = async (json: unknown) =>
    (await found(t, { 'live/main.tf.json': JSON.stringify(json) })).map(({ line, code }) => `${line} ${code}`)
  const read = (value: unknown) => ({ output: { x: { value } } })

  assert.deepEqual(await names(read('${var.none}')), ['1 undeclared_name'])
  assert.deepEqual(await names({ ...read('${var.a}${local.b}'), variable: { a: {} }, locals: { b: 1 } }), [])
  assert.deepEqual(await names(read('$${var.none}')), [])
  assert.deepEqual(await names(read('aws_x.y')), [])
  const dependsOn = (type: string) => ({ [type]: { a_b: { c: { depends_on: ['a_b.none', 'var.none'] } } } })
  for (const type of ['resource', 'data'])
    assert.deepEqual(await names(dependsOn(type)), ['1 undeclared_name', '1 undeclared_name'])
  const check = { c: { data: { http: { d: {} } }, assert: { condition: '${data.http.d.ok}' } } }
  assert.deepEqual(await names({ check }), [])
  const dynamic = { rule: { for_each: [1], iterator: 'it', content: { a: '${rule.value}${it.value}' } } }
  assert.deepEqual(await names({ resource: { a_b: { c: { dynamic, provider: '${aws.x}' } } } }), [])
})

test('a part that path, terraform, count or each does not have is found', async (t) => {
  const each = (value: string) => `resource "a_b" "c" {\n  for_each = {}\n  name = ${value}\n}\n`
  const cases: [text: string, finding?: string][] = [
    [output('[path.module, path.root, path.cwd, terraform.workspace]')],
    [output('path.modul'), '2 undeclared_name path.module'],
    [output('try(path.home, 1)'), '2 undeclared_name'], // Terraform looks before it evaluates
    [output('terraform.env'), '2 undeclared_name'],
    [output('terraform.applying')], // of Terraform 1.10
    [output('[for path in ["x"] : path.home]')],
    [each('each.value.none')],
    [each('each.vlaue'), '3 undeclared_name each.value'],
    [each('count.idx'), '3 undeclared_name'],
    [`${CALL.replace('}\n', '')}  depends_on = [path.none]\n}\n`, '3 undeclared_name'],
  ]
  for (const [text, finding] of cases)
    assert.deepEqual(await lines(t, text), finding === undefined ? [] : [finding], text)
})

test('a call is read with the index that its count or for_each gives it', async (t) => {
  const call = (meta: string) => `module "m" {\n  source = "../box"\n${meta}}\n`
  const [one, list, set, map] = [
    call(''),
    call('  count = 2\n'),
    call('  for_each = toset(["a"])\n'),
    call('  for_each = local.things\n'),
  ]
  const cases: [call: string, value: string, finding?: string][] = [
    [one, 'module.m.arn'],
    [one, 'module.m["arn"]'],
    [one, 'module.m["arm"]', 'unknown_output arn'],
    [one, 'module.m[0].arn', 'wrong_index'],
    [one, 'module.m.0.arn', 'wrong_index'],
    [one, 'module.m[*].arn'],
    [one, 'module.m[*].arm', 'unknown_output arn'],
    [one, '[for k, v in module.m : v.arm]'],
    [one, 'try(module.m[0].arn, 1)'],
    [list, 'module.m[0].arn'],
    [list, 'module.m.0.arn'],
    [list, 'module.m.*.arn'],
    [list, 'module.m[local.things].arm', 'unknown_output arn'],
    [list, 'module.m.arn', 'wrong_index'],
    [list, 'module.m["a"].arn', 'wrong_index'],
    [list, 'module.m["0"].arn'],
    [list, 'one(module.m[*].arm)', 'unknown_output arn'],
    [list, '[for v in module.m : v.arm]', 'unknown_output arn'],
    [list, '[for v in module.m : v.arn]'],
    [set, 'module.m["a"].arn'],
    [set, 'module.m.a.arn'],
    [set, 'module.m.a.arm', 'unknown_output arn'],
    [set, 'module.m.arn', 'wrong_index'],
    [set, 'module.m["b"].arn', 'wrong_index'],
    [set, 'module.m[*].arn', 'wrong_index'],
    [set, 'module.m.*.arn', 'wrong_index'],
    [set, 'module.m[*]'],
    [set, 'module.m[*].a'],
    [set, 'module.m[*].a.arn'],
    [set, 'module.m[*].a.arm', 'unknown_output arn'],
    [set, 'try(module.m[*].arn, [])'],
    [call('  for_each = {}\n'), 'module.m[*].arn', 'wrong_index'],
    [map, 'module.m[*].arn'], // may be a key
    [set, 'module.m[0].arn', 'wrong_index'],
    [set, 'contains(keys(module.m), "b") ? module.m["b"].arn : ""'],
    [set, 'module.m["b"].arn == "" ? 1 : 2', 'wrong_index'],
    [set, '[for x in [] : module.m["b"].arn]'],
    [list, 'local.things == {} ? module.m.arn : ""', 'wrong_index'],
    [set, '{ for k, v in module.m : k => v.arm }', 'unknown_output arn'],
    [map, 'module.m.arn'], // may be a key
    [map, 'module.m.some.arm'],
    [map, 'module.m[0].arn'],
    [map, 'module.m["x"].arm', 'unknown_output arn'],
    [map, 'values(module.m)[*].arm'],
  ]
  for (const [block, value, finding] of cases) {
    const text = `${block}locals {\n  things = {}\n}\n${output(value)}`
    const all = (await lines(t, text)).map((one) => one.replace(/^\d+ /, ''))
    assert.deepEqual(all, finding === undefined ? [] : [finding], `${block}${value}`)
  }
})

test('a resource is read with an index where its block counts, and only there', async (t) => {
  const block = (meta: string) => `resource "a_b" "c" {\n${meta}}\ndata "a_b" "c" {\n${meta}}\n`
  const cases: [meta: string, value: string, isFound: boolean][] = [
    ['', 'a_b.c.id', false],
    ['', 'a_b.c[0].id', true],
    ['', 'data.a_b.c["x"].id', true],
    ['', 'a_b.c[local.n]', false],
    ['', 'a_b.c[*].id', false],
    ['  count = 1\n', 'a_b.c.id', true],
    ['  count = 1\n', 'try(a_b.c.id, 1)', true], // Terraform looks before it evaluates
    ['  count = 1\n', 'a_b.c[0].id', false],
    ['  count = 1\n', 'a_b.c.0.id', false],
    ['  count = 1\n', 'a_b.c.*.id', false],
    ['  count = 1\n', 'a_b.c', false],
    ['  for_each = {}\n', 'data.a_b.c.key.id', true],
    ['  for_each = {}\n', 'data.a_b.c["key"].id', false],
  ]
  for (const [meta, value, isFound] of cases) {
    const text = `${block(meta)}locals {\n  n = 0\n}\n${output(value)}`
    const codes = (await lines(t, text)).map((one) => one.replace(/^\d+ /, ''))
    assert.deepEqual(codes, isFound ? ['wrong_index'] : [], `${meta}${value}`)
  }
  const overridden = await found(t, {
    'live/main.tf': `${block('')}${output('a_b.c.id')}`,
    'live/main_override.tf': 'resource "a_b" "c" {\n  count = 1\n}\n',
  })
  assert.deepEqual(overridden, [])
})

test('an argument has the type of what it reads, where the whole directory is known', async (t) => {
  const text = `variable "names" {\n  type = list(string)\n}\nlocals {\n  map = { a = var.names }\n}\nmodule "m" {\n  source = "../one"\n  x = var.names\n  y = local.map.a\n}\n`
  const files = {
    'one/main.tf': 'variable "x" {\n  type = number\n}\nvariable "y" {\n  type = map(string)\n}\n',
    'live/main.tf': text,
  }

  const codes = (await found(t, files)).map(({ line, code }) => `${line} ${code}`)
  const unsure = await found(t, { ...files, 'live/terragrunt.hcl': '' })

  assert.deepEqual(codes, ['9 wrong_type', '10 wrong_type'])
  assert.deepEqual(unsure, [])
})
