import assert from 'node:assert/strict'
import { test } from 'node:test'
import { namesRead } from './names-read.ts'
import { parseExpression, parseTemplateText } from './parse-expression.ts'

/** The names that a text reads, each with the attributes behind it; undefined where it is not understood. */
function read(text: string, parse = parseExpression): string[] | undefined {
  const expression = parse(text)
  return (
    expression &&
    namesRead(expression).map(({ root, steps, isTried, isElement }) => {
      const path = steps.map((step) =>
        step.kind === 'attribute' ? `.${step.name}` : step.kind === 'splat' ? '[*]' : '[]',
      )
      return `${root}${path.join('')}${isTried ? ' tried' : ''}${isElement ? ' element' : ''}`
    })
  )
}

test('an expression reads the names that nothing in it gives to its own values', () => {
  const cases: [text: string, names: string[]][] = [
    ['1 + -2 * 3 <= 4 && !true', []],
    ['"a ${var.b} $${var.c} %%{ if var.d }"', ['var.b']],
    ['"\\" ${"${var.a}"}"', ['var.a']],
    ['{ a = var.b, "c" : var.d\n  (var.e) = 1\n}', ['var.b', 'var.d', 'var.e']],
    ['{ a = 1 # ${var.b}\n  /* var.c */ d = 2 }', []],
    ['[for v in var.list : v.id if v != var.no]', ['var.list', 'var.no']],
    ['{ for k, v in var.map : k => v... }', ['var.map']],
    ['[for v in [for v in var.a : v] : v]', ['var.a']],
    ['[for each in var.a : each.key]', ['var.a']],
    ['concat([for v in var.a : v], v.b)', ['var.a', 'v.b']],
    ['module.m[*].id', ['module.m[*].id']],
    ['module.m.*.id', ['module.m[*].id']],
    ['module.m.0.id', ['module.m[].id']],
    ['a.b[var.i][0].c', ['var.i', 'a.b[][].c']],
    ['var.a ? var.b : var.c', ['var.a', 'var.b', 'var.c']],
    ['try(var.a, [can(var.b)])', ['var.a tried', 'var.b tried']],
    ['retry(var.a)', ['var.a']],
    ['provider::aws::arn_parse(var.a).region', ['provider::aws::arn_parse', 'var.a']],
    ['[for k, v in module.m : v.id]', ['module.m', 'module.m.id element']],
    ['[for k, v in module.m : k.id]', ['module.m']],
    [
      '<<-EOT\n  ${var.a}\n  %{ for x in var.b ~}\n  ${x} ${y.z}\n  %{ endfor ~}\n  EOT',
      ['var.a', 'var.b', 'y.z'],
    ],
    ['"%{ if var.a }${var.b}%{ else }${var.c}%{ endif }"', ['var.a', 'var.b', 'var.c']],
    ['f(var.a...)', ['var.a']],
    ['var.a.b\n', ['var.a.b']],
  ]
  for (const [text, names] of cases) assert.deepEqual(read(text), names, text)
  assert.deepEqual(read('a "b" ${upper(var.c)}', parseTemplateText), ['var.c'])
  assert.deepEqual(read('no ${template', parseTemplateText), undefined)
})

test('what is not an expression as a whole is not understood, and neither is what is too deep', () => {
  for (const text of [
    '',
    '1_000',
    '{ a = 1 b = 2 }',
    'var.',
    'f(',
    '[1',
    '"${',
    'a b',
    '{ for }',
    '<<EOT\nx',
  ])
    assert.equal(parseExpression(text), undefined, text)
  for (const text of ['('.repeat(9_000), '-'.repeat(9_000), '[for a in '.repeat(999), '"${'.repeat(9_000)])
    assert.equal(parseExpression(text), undefined)
  assert.equal(parseExpression(`1${' + 1'.repeat(9_000)}`), undefined)
  assert.notEqual(parseExpression(`1${' + 1'.repeat(400)}`), undefined)
})
