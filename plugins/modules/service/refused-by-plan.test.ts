import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { checkedFiles } from '../testing/checked-tree.ts'

const BOX = 'variable "size" {\n  type = any\n  default = 1\n}\noutput "arn" {\n  value = "x"\n}\n'
const SECRET = 'variable "secret" {\n  ephemeral = true\n}\n'

/** The findings of a folder `live` beside modules `box` and `safe`, as `line code`. */
async function lines(
  t: TestContext,
  text: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const modules = { 'box/main.tf': BOX, 'safe/main.tf': BOX.replace('type = any', 'ephemeral = true') }
  const all = await checkedFiles(t, { ...modules, 'live/main.tf': text, ...more })
  return all.map(({ line, code }) => `${line} ${code}`)
}

function call(argument = '', source = '../box'): string {
  return `module "m" {\n  source = "${source}"\n${argument === '' ? '' : `  ${argument}\n`}}\n`
}

function moved(from: string, to: string): string {
  return `moved {\n  from = ${from}\n  to = ${to}\n}\n`
}

const REMOVED = 'removed {\n  from = module.m\n}\n'

test('a moved or removed block of what is still declared is found', async (t) => {
  const counted = call('count = 2')
  const resource = 'resource "a_b" "c" {\n}\n'
  const cases: [declared: string, block: string, isFound: boolean][] = [
    [call(), REMOVED, true],
    [counted, REMOVED, true],
    [call(), 'removed {\n  from = module.old\n}\n', false],
    [call(), 'removed {\n  from = module.m.a_b.c\n}\n', false], // the resource may not be there
    [resource, 'removed {\n  from = a_b.c\n}\n', true],
    [call(), moved('module.m', 'module.n'), true],
    [counted, moved('module.m', 'module.n.module.m'), true],
    [resource, moved('a_b.c', 'module.n.a_b.c'), true],
    [call(), moved('module.old', 'module.m'), false],
    [counted, moved('module.m', 'module.m[0]'), false], // the one that had no count before
    [counted, moved('module.m[7]', 'module.n'), false], // there may be no such instance
    [counted, moved('module.m', 'module.n[0]'), false],
  ]
  for (const [declared, block, isFound] of cases) {
    const line = declared.split('\n').length
    assert.deepEqual(await lines(t, declared + block), isFound ? [`${line} block_refused`] : [], block)
  }
  const json = JSON.stringify({
    moved: [{ from: 'module.m', to: 'module.n' }],
    removed: { from: 'module.m' },
  })
  assert.deepEqual(await lines(t, call(), { 'live/a.tf.json': json }), ['1 block_refused', '1 block_refused'])
  assert.deepEqual(await lines(t, call(), { 'live/override.tf': REMOVED }), [])
  assert.deepEqual(await lines(t, call() + REMOVED, { 'live/b.tf': 'resource {' }), ['1 unreadable'])
})

test('depends_on takes outputs of a call, but no part of a resource or value, and nothing that is computed', async (t) => {
  const declared =
    'resource "a_b" "c" {\n  count = 2\n}\ndata "d_e" "f" {\n}\nmodule "n" {\n  source = "../box"\n}\nvariable "v" {\n}\nlocals {\n  l = 1\n}\n'
  const at = declared.split('\n').length
  const cases: [item: string, isFound: boolean][] = [
    ['a_b.c', false],
    ['a_b.c[0]', false],
    ['resource.a_b.c', false],
    ['data.d_e.f', false],
    ['module.n', false],
    ['module.n.arn', false],
    ['"module.n"', false],
    ['var.v', false],
    ['local.l', false],
    ['var.v.id', true],
    ['local.l[0]', true],
    ['a_b.c.id', true],
    ['a_b.c[0].id', true],
    ['resource.a_b.c.id', true],
    ['data.d_e.f.id', true],
    ['a_b.c[*]', true],
    ['a_b.c[1 - 1]', true],
    ['tolist(module.n)', true],
    ['1', true],
  ]
  for (const [item, isFound] of cases) {
    const found = await lines(t, declared + call(`depends_on = [${item}]`))
    assert.deepEqual(found, isFound ? [`${at + 2} block_refused`] : [], item)
  }
  const output = `output "x" {\n  value = 1\n  depends_on = [a_b.c.id]\n}\n`
  assert.deepEqual(await lines(t, declared + output), [`${at + 2} block_refused`])
})

test('depends_on of a call in JSON is a list of addresses, not of templates', async (t) => {
  const cases: [dependsOn: unknown, isFound: boolean][] = [
    [['module.n', 'a_b.c[0]', 'module.n.arn', 'var.v', 'data.d_e.f["x"]'], false],
    [[], false],
    [null, false],
    ['module.n', true],
    [['${module.n}'], true],
    [['just words'], true],
    [['a_b.c.id'], true],
    [['tolist(module.n)'], true],
    [[1], true],
  ]
  const declared = {
    resource: { a_b: { c: { count: 2 } } },
    data: { d_e: { f: { for_each: '${var.v}' } } },
    variable: { v: {} },
  }
  for (const [depends_on, isFound] of cases) {
    const module = { n: { source: '../box' }, m: { source: '../box', depends_on } }
    const file = { 'live/a.tf.json': JSON.stringify({ ...declared, module }) }
    const found = await lines(t, '', file)
    assert.deepEqual(found, isFound ? ['1 block_refused'] : [], JSON.stringify(depends_on))
  }
})

test('each.value has the type of the values that for_each has for sure', async (t) => {
  const cases: [forEach: string, value: string, finding?: string][] = [
    ['toset(["a", "b"])', 'each.value'],
    ['toset(["a", "b"])', 'each.value.name', 'block_refused'],
    ['toset(["a", "b"])', 'each.value["name"]', 'block_refused'],
    ['toset(["a", "b"])', '"${each.value.name}-x"', 'block_refused'],
    ['toset(["a", "b"])', 'try(each.value.name, "x")'],
    ['toset(["a", "b"])', 'each.key == "b" ? each.value.name : "x"'],
    ['local.names', 'each.value.name', 'block_refused'],
    ['toset([])', 'each.value.name'], // no instance
    ['toset(var.names)', 'each.value.name'], // perhaps none
    ['var.things', 'each.value.name'],
    ['{}', 'each.value.name'],
    ['{ a = "x" }', 'each.value.name', 'block_refused'],
    ['{ a = { name = "x" } }', 'each.value.name'],
    ['{ a = { name = "x" } }', 'each.value.nmae', 'block_refused'],
    ['{ a = { name = "x" }, b = { size = 1 } }', 'each.value.name', 'block_refused'],
    ['{ a = { name = "x" }, b = { name = 1, size = 1 } }', 'each.value.name.first'],
    ['{ a = { name = "x" }, b = "y" }', 'each.value.name'],
    ['{ a = null, b = { name = "x" } }', 'each.value.name'],
    ['{ a = var.things }', 'each.value.name'],
  ]
  const names =
    'variable "names" {\n  type = set(string)\n}\nvariable "things" {\n}\nlocals {\n  names = toset(["a"])\n}\n'
  for (const [forEach, value, finding] of cases) {
    const text = `module "m" {\n  source = "../box"\n  for_each = ${forEach}\n  size = ${value}\n}\n${names}`
    assert.deepEqual(
      await lines(t, text),
      finding === undefined ? [] : [`4 ${finding}`],
      `${forEach}: ${value}`,
    )
  }
})

test('an ephemeral value is found where the input is not ephemeral', async (t) => {
  const cases: [value: string, isFound: boolean][] = [
    ['var.secret', true],
    ['var.secret.part', true],
    ['"${var.secret}-x"', true],
    ['upper(var.secret)', true],
    ['[{ a = var.secret }]', true],
    ['var.secret == "x" ? 1 : 2', true],
    ['local.all', true],
    ['ephemeral.a_b.c.value', true],
    ['ephemeralasnull(var.secret)', false],
    ['can(var.secret)', false],
    ['length([var.secret])', false],
    ['[for one in [var.secret] : "x"]', false],
    ['local.all.other', false],
    ['local.all.a', true],
    ['join("-", ["a", var.secret])', true],
    ['[upper(trimspace(var.secret))]', true],
    ['var.plain ? var.secret : "x"', true],
    ['!var.secret', true],
    ['var.secret && var.plain', true],
    ['var.secret + 1', true],
    ['["a", "b"][var.secret]', true],
    ['[for one in var.secret : "x"]', true],
    ['"%{ if var.secret }x%{ endif }"', true],
    ['try(var.secret, 1)', true],
    ['try(1, var.secret)', false],
    ['keys({ a = var.secret })', false],
    ['length(([var.secret]))', false],
    ['lookup({ a = var.secret, b = 1 }, "b")', false],
    ['element([var.secret, 1], 1)', false],
    ['[{ a = var.secret, b = 1 }][0].b', false],
    ['var.plain', false],
  ]
  const around = `${SECRET}variable "plain" {\n}\nlocals {\n  all = { a = var.secret, other = 1 }\n}\nephemeral "a_b" "c" {\n}\n`
  for (const [value, isFound] of cases) {
    const given = `size = ${value}`
    assert.deepEqual(await lines(t, call(given) + around), isFound ? ['3 block_refused'] : [], value)
    assert.deepEqual(await lines(t, call(given, '../safe') + around), [], value)
  }
})

const GIVES =
  'variable "size" {\n  ephemeral = true\n  default = 1\n}\noutput "token" {\n  ephemeral = true\n  value = var.size\n}\noutput "arn" {\n  value = 1\n}\n'

test('an ephemeral output of a call is found where the input is not ephemeral', async (t) => {
  const cases: [meta: string, value: string, isFound: boolean][] = [
    ['', 'module.n.token', true],
    ['', '"${module.n.token}-x"', true],
    ['', 'local.token', true],
    ['', 'module.n.arn', false],
    ['', 'ephemeralasnull(module.n.token)', false],
    ['count = 1', 'module.n[0].token', true],
    ['count = 1', 'module.n[*].token', true],
    ['for_each = toset(["a"])', 'module.n["a"].token', true],
    ['for_each = toset(["token"])', 'module.n.token.arn', false],
  ]
  for (const [meta, value, isFound] of cases) {
    const other = `module "n" {\n  source = "../gives"\n  ${meta}\n}\nlocals {\n  token = ${meta === '' ? 'module.n.token' : '1'}\n}\n`
    const more = { 'gives/main.tf': GIVES }
    const found = await lines(t, call(`size = ${value}`) + other, more)
    assert.deepEqual(found, isFound ? ['3 block_refused'] : [], value)
    assert.deepEqual(await lines(t, call(`size = ${value}`, '../safe') + other, more), [], value)
  }
})

test('each.value is ephemeral where the value of an instance is that is written out', async (t) => {
  const cases: [forEach: string, value: string, isFound: boolean][] = [
    ['{ a = var.secret, b = "x" }', 'each.value', true],
    ['{ a = var.secret }', '"v-${each.value}"', true],
    ['tomap({ a = var.secret })', 'each.value', true],
    ['local.all', 'each.value', true],
    ['{ a = { key = var.secret, name = "x" } }', 'each.value.key', true],
    ['{ a = { key = var.secret, name = "x" } }', 'each.value', true],
    ['{ a = { key = var.secret, name = "x" } }', 'each.value.name', false],
    ['{ a = var.secret }', 'each.key', false],
    ['{ a = var.secret }', 'ephemeralasnull(each.value)', false],
    ['{ a = "x" }', 'each.value', false],
    ['{ for k in var.plain : k => var.secret }', 'each.value', false], // perhaps no instance
  ]
  const around = `${SECRET}variable "plain" {\n}\nlocals {\n  all = { a = var.secret }\n}\n`
  for (const [forEach, value, isFound] of cases) {
    const block = (source?: string) => call(`for_each = ${forEach}\n  size = ${value}`, source) + around
    assert.deepEqual(await lines(t, block()), isFound ? ['4 block_refused'] : [], `${forEach}: ${value}`)
    assert.deepEqual(await lines(t, block('../safe')), [], `${forEach}: ${value}`)
  }
})

test('how often a block counts cannot follow from an ephemeral value', async (t) => {
  const cases: [meta: string, isFound: boolean][] = [
    ['count = var.secret', true],
    ['count = length(var.secret)', true],
    ['count = var.secret == 1 ? 1 : 0', true],
    ['count = module.n.token', true],
    ['count = length([var.secret])', false],
    ['count = can(var.secret) ? 1 : 0', false],
    ['for_each = var.secret', true],
    ['for_each = toset([var.secret])', true],
    ['for_each = toset(keys(var.secret))', true],
    ['for_each = { (var.secret) = 1 }', true],
    ['for_each = var.plain ? var.secret : {}', true],
    ['for_each = { for k, v in var.secret : k => v }', true],
    ['for_each = { a = var.secret }', false],
    ['for_each = merge({ a = var.secret }, { b = 1 })', false],
    ['for_each = { for k in ["a"] : k => var.secret }', false],
    ['for_each = toset(keys({ a = var.secret }))', false],
    ['for_each = local.all', false],
  ]
  const around = `${SECRET}variable "plain" {\n}\nlocals {\n  all = { a = var.secret }\n}\nmodule "n" {\n  source = "../gives"\n}\n`
  for (const [meta, isFound] of cases) {
    const found = await lines(t, call(meta) + around, { 'gives/main.tf': GIVES })
    assert.deepEqual(found, isFound ? ['3 block_refused'] : [], meta)
  }
})

test('an output that is not ephemeral, and how often a resource counts, follow from no ephemeral value', async (t) => {
  const output = (value: string, more = '') => `output "o" {\n  value = ${value}\n${more}}\n`
  const block = (meta: string) => `resource "a_b" "c" {\n  ${meta}\n}\n`
  const cases: [text: string, isFound: boolean][] = [
    [output('var.secret'), true],
    [output('"${var.secret}-x"'), true],
    [output('var.secret == "x"'), true],
    [output('local.all'), true],
    [output('ephemeralasnull(var.secret)'), false],
    [output('length([var.secret])'), false],
    [output('1'), false],
    [output('var.secret', '  ephemeral = true\n'), false],
    [block('count = var.secret'), true],
    [block('for_each = toset([var.secret])'), true],
    [block('for_each = local.all'), false],
    [block('password_wo = var.secret'), false],
    ['data "a_b" "c" {\n  for_each = var.secret\n}\n', true],
  ]
  const around = `${SECRET}locals {\n  all = { a = var.secret }\n}\n`
  for (const [text, isFound] of cases)
    assert.deepEqual(await lines(t, text + around), isFound ? ['2 block_refused'] : [], text)

  const call = 'module "n" {\n  source = "../gives"\n}\n'
  const gives = { 'gives/main.tf': GIVES }
  assert.deepEqual(await lines(t, output('module.n.token') + call, gives), ['2 block_refused'])
  assert.deepEqual(await lines(t, output('module.n.arn') + call, gives), [])
  const override = { 'live/override.tf': output('1') }
  assert.deepEqual(await lines(t, output('var.secret') + around, override), [])
  const unsure = await lines(t, output('var.secret') + around, { 'live/terragrunt.hcl': '' })
  assert.deepEqual(unsure, [])
})

test('the keys of for_each cannot follow from a sensitive value', async (t) => {
  const cases: [forEach: string, isFound: boolean][] = [
    ['var.hidden', true],
    ['local.all', true],
    ['var.plain ? var.hidden : {}', true],
    ['length(var.hidden) > 0 ? { a = 1 } : {}', true],
    ['{ for k, v in var.hidden : k => v }', true],
    ['merge({ b = 1 }, var.hidden)', true],
    ['toset(keys(var.hidden))', true],
    ['toset([sensitive("a")])', true],
    ['toset(["a-${var.hidden.a}"])', true],
    ['{ (var.hidden.a) = 1 }', true],
    ['nonsensitive(var.hidden)', false],
    ['toset(nonsensitive(keys(var.hidden)))', false],
    ['issensitive(var.hidden) ? { a = 1 } : {}', false],
    ['{ a = var.hidden }', false],
    ['{ a = sensitive(1) }', false],
    ['toset(keys({ a = var.hidden }))', false],
    ['module.n.key', false], // Terraform 1.11 takes it
  ]
  const around =
    'variable "hidden" {\n  sensitive = true\n}\nvariable "plain" {\n}\nlocals {\n  all = var.hidden\n}\nmodule "n" {\n  source = "../gives"\n}\n'
  const gives = { 'gives/main.tf': 'output "key" {\n  sensitive = true\n  value = {}\n}\n' }
  for (const [forEach, isFound] of cases) {
    const found = await lines(t, call(`for_each = ${forEach}`) + around, gives)
    assert.deepEqual(found, isFound ? ['3 block_refused'] : [], forEach)
    const resource = `resource "a_b" "c" {\n  for_each = ${forEach}\n}\n`
    assert.deepEqual(
      await lines(t, resource + around, gives),
      isFound ? ['2 block_refused'] : [],
      `resource: ${forEach}`,
    )
  }
  const counted = call('count = length(var.hidden)') + around // shows nothing
  assert.deepEqual(await lines(t, counted, gives), [])
})

test('local values that each read another ten times are looked at for a bounded time', async (t) => {
  const many = Array.from({ length: 60 }, (_, at) => {
    const reads = Array.from({ length: 10 }, () => `local.l${at + 1}`)
    return `  l${at} = [${reads.join(', ')}]\n`
  })

  const found = await lines(t, `${call('size = local.l0')}locals {\n${many.join('')}  l60 = 1\n}\n`)

  assert.deepEqual(found, [])
})

test('all expressions of a directory together are looked at for a bounded time', async (t) => {
  const locals = Array.from({ length: 9 }, (_, at) => {
    const reads = Array.from({ length: 10 }, () => `local.l${at + 1}`)
    return `  l${at} = [${reads.join(', ')}]\n`
  })
  const around = `${SECRET}locals {\n${locals.join('')}  l9 = 1\n}\n`
  const outputs = (count: number) =>
    Array.from({ length: count }, (_, at) => `output "o${at}" {\n  value = local.l0\n}\n`).join('')
  const found = async (count: number) =>
    (await lines(t, `${around}${outputs(count)}output "late" {\n  value = var.secret\n}\n`)).length

  assert.deepEqual([await found(10), await found(60)], [1, 0])
})

test('the types of all expressions of a directory together are looked for for a bounded time', async (t) => {
  const locals = Array.from({ length: 9 }, (_, at) => {
    const reads = Array.from({ length: 10 }, () => `local.l${at + 1}`)
    return `  l${at} = [${reads.join(', ')}]\n`
  })
  const around = `locals {\n${locals.join('')}  l9 = 1\n  text = "x"\n}\n`
  const calls = (count: number) =>
    Array.from({ length: count }, (_, at) => call('size = local.l0[0]').replace('"m"', `"m${at}"`)).join('')
  const found = async (count: number) =>
    (await lines(t, `${calls(count)}${call('size = local.text.part')}${around}`)).length

  assert.deepEqual([await found(10), await found(200)], [1, 0])
})
