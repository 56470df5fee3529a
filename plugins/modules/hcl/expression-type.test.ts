import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkInputs } from '../domain/check.ts'
import { NO_SCOPE, type TypeScope } from '../domain/expression-type.ts'
import { parseExpression } from '../domain/parse-expression.ts'
import { parseType } from '../domain/type-constraint.ts'
import { readModuleBlocks } from './module-blocks.ts'

const SCOPE: TypeScope = {
  variables: new Map(
    Object.entries({
      text: 'string',
      number: 'number',
      flag: 'bool',
      texts: 'list(string)',
      map: 'map(string)',
      any: 'any',
      object: 'object({ b = string, c = optional(list(string)) })',
    }).map(([name, type]) => [name, parseType(type)]),
  ),
  locals: new Map(
    Object.entries({
      list: '["a"]',
      again: 'local.list',
      round: 'local.round',
      deep: '{ a = { b = [] } }',
    }).map(([name, text]) => [name, parseExpression(text) ?? assert.fail(text)]),
  ),
}

/** Whether Terraform refuses the expression for an input of the type. */
function isRefused(text: string, type: string, scope = SCOPE): boolean {
  const { blocks } = readModuleBlocks(`module "m" {\n  source = "./m"\n  x = ${text}\n}\n`)
  const variables = [{ name: 'x', type, description: '', default: null, required: true, nullable: false }]
  return blocks.flatMap((block) => checkInputs(block, { variables }, scope)).length > 0
}

test('an expression is refused where no value of its type can become that of the input', () => {
  const cases: [text: string, type: string, isRefused: boolean][] = [
    ['jsonencode({})', 'map(string)', true],
    ['jsonencode({})', 'number', false], // "5" is a number
    ['tolist(["a"])', 'map(string)', true],
    ['tolist(["a"])', 'set(string)', false],
    ['toset(["a"])', 'tuple([string])', true],
    ['[for a in var.any : a]', 'tuple([string])', false],
    ['[for a in var.any : a]', 'string', true],
    ['{ for a in var.any : a => a }', 'list(string)', true],
    ['length(var.any)', 'bool', true],
    ['length(var.any)', 'string', false],
    ['var.any == 1', 'number', true],
    ['var.any + 1', 'bool', true],
    ['"a-${var.any}"', 'list(string)', true],
    ['"${var.texts}"', 'list(string)', false], // only a template with text is a text
    ['tostring("x")', 'number', true],
    ['tostring("5")', 'number', false],
    ['var.any ? "a" : "b"', 'bool', true],
    ['var.any ? "a" : "true"', 'bool', false],
    ['var.any ? 1 : "a"', 'bool', false], // 1 becomes "1"
    ['var.any ? [] : ["a"]', 'string', true],
    ['var.any ? null : []', 'list(string)', false],
    ['var.any ? null : []', 'map(string)', true],
    ['true ? null : []', 'list(string)', true], // null is not taken
    ['false ? null : []', 'list(string)', false],
    ['var.text', 'number', false],
    ['var.number', 'bool', true],
    ['var.flag', 'number', true],
    ['var.texts', 'string', true],
    ['var.texts[0]', 'list(string)', true],
    ['var.texts[*]', 'string', true],
    ['var.any.*.id[0]', 'string', false],
    ['var.any[*].id', 'string', true],
    ['var.map', 'object({ a = string })', false],
    ['var.map', 'list(string)', true],
    ['var.object', 'object({ a = string })', true],
    ['var.object', 'object({ b = number, c = list(string) })', false],
    ['var.object', 'object({ b = list(string) })', true],
    ['var.object.c', 'number', true],
    ['var.object.none', 'number', false],
    ['var.any', 'number', false],
    ['var.none', 'number', false],
    ['local.again', 'map(string)', true],
    ['local.again', 'list(string)', false],
    ['local.round', 'number', false],
    ['local.deep.a.b', 'string', true],
    ['local.deep', 'map(map(string))', true],
    ['sensitive(var.texts)', 'string', true],
    ['path.module', 'bool', false],
    ['path.module', 'list(string)', true],
    ['coalesce(var.texts, [])', 'string', false],
    ['provider::aws::f()', 'string', false],
    ['module.a.b', 'string', false],
  ]
  for (const [text, type, expected] of cases)
    assert.equal(isRefused(text, type), expected, `${text}: ${type}`)
  assert.equal(isRefused('var.texts', 'string', NO_SCOPE), false)
})

test('locals that read one another many times cost little', () => {
  const names = Array.from({ length: 40 }, (_, at) => `l${at}`)
  const locals = names.map(
    (name, at) => [name, parseExpression(`[local.l${at + 1}, local.l${at + 1}]`)] as const,
  )
  const known = new Map(locals.flatMap(([name, value]) => (value ? [[name, value] as const] : [])))

  assert.equal(isRefused('local.l0', 'list(any)', { variables: new Map(), locals: known }), false)
  assert.equal(isRefused('local.l0', 'string', { variables: new Map(), locals: known }), true)
})

test('elements of any have to become one type', () => {
  const cases: [text: string, type: string, isRefused: boolean][] = [
    ['[1, "a", true]', 'list(any)', false],
    ['[1, true]', 'list(any)', true],
    ['[1, [2]]', 'list(any)', true],
    ['["a", {}]', 'set(any)', true],
    ['[null, [2], var.any]', 'list(any)', false],
    ['[1, var.any, []]', 'list(any)', false],
    ['[1, var.texts]', 'list(any)', true],
    ['[[1], ["a"], []]', 'list(any)', false],
    ['[[1, []], ["a"]]', 'list(any)', true],
    ['{ a = { x = 1 }, b = { y = "b" } }', 'map(any)', false],
    ['{ a = { x = 1 }, b = { x = [1] } }', 'map(any)', true],
    ['{ a = { x = 1 }, b = { y = [1] } }', 'map(any)', true],
    ['{ a = [], b = {} }', 'map(any)', true],
    ['{ a = 1, b = [2] }', 'map(any)', true],
    ['{ a = [1, [2]] }', 'map(list(any))', true],
    ['{ a = 1, b = [2] }', 'any', false],
  ]
  for (const [text, type, expected] of cases)
    assert.equal(isRefused(text, type), expected, `${text}: ${type}`)
})
