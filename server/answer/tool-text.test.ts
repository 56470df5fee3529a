import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Literal } from './literal.ts'
import { toldIn } from './tool-text.ts'

test('omissions and literals apply to each entry of a list, and every other member stays under any name', () => {
  const data: Record<string, unknown> = JSON.parse(
    '{"id":1,"list":[{"secret":1,"value":"x","__proto__":{"a":1}},{"value":"y","is_code":true},{"b":2}],"map":{"one":{"at":1},"two":{"at":2,"is":3}}}',
  )
  const tool = {
    omits: { '/id': 'said', '/list/*/secret': 'said', '/map/*/at': 'said' },
    literals: { '/list/*/value': 'is_code' },
  } as const

  const told = toldIn(data, tool)

  assert.equal(
    JSON.stringify(told),
    '{"list":[{"value":{"text":"\\"x\\""},"__proto__":{"a":1}},{"value":"y","is_code":true},{"b":2}],"map":{"one":{},"two":{"is":3}}}',
  )
  const [first] = told['list'] as { value: unknown }[]
  assert.ok(first?.value instanceof Literal)
  assert.equal(Object.getPrototypeOf(first), Object.prototype)
  assert.equal(toldIn(data, {}), data)
})

test('what the tool does not name is told as it is, without a copy', () => {
  const [plain, quoting] = [{ a: 1 }, { a: 1, value: 'x' }]
  const tool = { omits: { '/id': 'said' }, literals: { '/list/*/value': 'is_code' } }

  const told = toldIn({ id: 1, list: [plain, quoting], same: [plain] }, tool)

  assert.equal(Object.values(told['list'] as object)[0], plain)
  assert.deepEqual(told, { list: [plain, { a: 1, value: new Literal('"x"') }], same: [plain] })
  assert.deepEqual(quoting, { a: 1, value: 'x' })
})
