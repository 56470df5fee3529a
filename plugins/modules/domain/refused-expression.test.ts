import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_SCOPE, type TypeScope } from './expression-type.ts'
import { parseExpression } from './parse-expression.ts'
import { refusedPart } from './refused-expression.ts'
import { parseType } from './type-constraint.ts'

const SCOPE: TypeScope = {
  variables: new Map(
    Object.entries({
      text: 'string',
      number: 'number',
      texts: 'list(string)',
      set: 'set(string)',
      map: 'map(string)',
      any: 'any',
      object: 'object({ size = string, tags = optional(map(string)) })',
    }).map(([name, type]) => [name, parseType(type)]),
  ),
  locals: new Map([['pair', parseExpression('["a", "b"]') ?? assert.fail()]]),
}

function said(text: string, scope = SCOPE): string | undefined {
  return refusedPart(parseExpression(text) ?? assert.fail(text), scope)
}

/** Each as Terraform 1.11 answers. */
test('an expression that Terraform refuses to evaluate is told from one that it may take', () => {
  const refused = [
    ['strlen("a")', 'upper()', 'upper("a", "b")', 'upper(var.texts)', 'upper(null)', 'core::upper([])'],
    [
      '[{ a = [nosuch()] }]',
      '"x-${nosuch()}"',
      'upper(nosuch())',
      '[for x in nosuch() : x]',
      'nosuch() ? 1 : 2',
    ],
    [
      'join(var.texts, ",")',
      'join(",", "a")',
      'join(",", [["a"]])',
      'concat("a", "b")',
      'concat(var.texts, {})',
    ],
    [
      'merge(var.map, [])',
      'keys([])',
      'contains("ab", "a")',
      'length(null)',
      'max([1, 2])',
      'lookup([], "a")',
    ],
    ['tonumber("x")', 'tobool("yes")', 'tostring([])', 'tolist("a")', 'tomap([])', 'abs("x", var.any...)'],
    ['"a" + "b"', '"a-${var.text}" + ["b"]', '1 + "x"', '-"x"', '!1', '1 && true', '"a" > 1', '1 - null'],
    [
      '"x${[1]}"',
      '"x${var.map}"',
      '"x${null}"',
      '"x" ? 1 : 2',
      '"%{ if 1 }a%{ endif }"',
      '"%{ for x in 5 }%{ endfor }"',
    ],
    ['var.any ? "a" : ["a"]', 'var.any ? [] : {}', '[for x in "ab" : x]', '[for x in null : x]'],
    [
      'var.object.sise',
      'var.object["sise"]',
      'var.text.size',
      'var.text[0]',
      'path.module.x',
      'var.texts.size',
    ],
    ['var.set[0]', 'local.pair[2]', 'local.pair.first', '{ a = 1 }.b', '["a"][1]', 'upper(var.object.tag)'],
  ].flat()
  const taken = [
    [
      'try(nosuch(), 1)',
      'can(upper())',
      'true ? 1 : nosuch()',
      '[for x in var.texts : nosuch(x)]',
      'true || nosuch()',
    ],
    [
      'upper(1)',
      'upper(var.any)',
      'join(",", ["a"], var.set)',
      'concat(var.texts...)',
      'merge(null, {})',
      'merge()',
    ],
    [
      'upper(var.any...)',
      'sort(toset(["b"]))',
      'tonumber("5")',
      'tobool("true")',
      'tostring(null)',
      'jsonencode(null)',
    ],
    ['"1" + 1', '-"1"', '1 == "x"', '!"true"', 'null == null', '"true" && true', '5 % var.number', '1 < "2"'],
    [
      '"x${1}"',
      '"${[1]}"',
      '"x${true}"',
      '"%{ for x in var.texts }${x}%{ endfor }"',
      '"%{ if true }${[1][0]}%{ endif }"',
    ],
    [
      'var.any ? "a" : null',
      'var.any ? 1 : "a"',
      'var.any ? var.any : []',
      'var.any ? var.set : ["a"]',
      'true ? {} : { a = 1 }',
    ],
    [
      'var.object.tags.any',
      'var.map.any',
      'var.texts[9]',
      'var.texts.0',
      'var.texts[*].x',
      'var.text[*]',
      'local.pair[1]',
    ],
    [
      'provider::acme::size()',
      'module.box.any',
      'each.value.x',
      'var.other.x',
      'list("a")',
      'values(var.map)[*].x',
    ],
    [
      '[for o in [{ x = 1 }] : o.y]',
      '[{ x = 1 }][*].x',
      '[{ x = 1 }].*.x',
      'var.any.x.y[0]',
      '{ (var.text) = 1 }.b',
    ],
  ].flat()

  for (const text of refused) assert.notEqual(said(text), undefined, text)
  for (const text of taken) assert.equal(said(text), undefined, text)
})

test('it is said what a refused expression should be', () => {
  assert.equal(said('tolst([])'), 'There is no function tolst. Did you mean tolist?')
  assert.equal(said('replace("a", "b")'), 'replace takes 3 arguments, not 2.')
  assert.equal(said('concat("a", "b")'), 'Argument 1 of concat must be list(any), not a string.')
  assert.match(said('"a" + "b"') ?? '', /^What \+ takes must be number, not the string "a"\. Join texts/)
  assert.match(said('var.object.sise') ?? '', /Did you mean size\?$/)
})

test('of a part of a directory only what is written out is known', () => {
  assert.equal(said('upper(var.texts)', NO_SCOPE), undefined)
  assert.notEqual(said('upper([var.texts])', NO_SCOPE), undefined)
})
