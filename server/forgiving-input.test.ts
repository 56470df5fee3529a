import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { forgivenInput } from './forgiving-input.ts'

const item = z.looseObject({
  name: z.string(),
  note: z.string().optional(),
  tags: z.array(z.string()).optional(),
})
const schema = z.object({
  items: z.array(item).optional(),
  limit: z.number().default(10),
  filter: z.object({ names: z.array(z.string()) }).optional(),
  text: z.string().optional(),
})

function forgiven(input: Record<string, unknown>) {
  const before = structuredClone(input)
  const parsed = schema.safeParse(input)
  assert.equal(parsed.success, false, 'the input needs no forgiving')
  const answer = forgivenInput(schema, input, parsed.error)
  assert.deepEqual(input, before, 'the input itself was changed')
  return answer
}

test('lists and objects given as JSON text are taken, one inside another too', () => {
  const filter = { names: ['a', 'b'] }
  const items = [{ name: 'x', tags: JSON.stringify(['t']) }]
  const nested = {
    items: JSON.stringify(items),
    filter: JSON.stringify({ names: JSON.stringify(filter.names) }),
  }

  assert.deepEqual(forgiven(nested), { items: [{ name: 'x', tags: ['t'] }], filter, limit: 10 })
})

test('null is an absent member; a member that a schema does not know stays', () => {
  assert.deepEqual(forgiven({ limit: null, text: null, items: [{ name: 'x', note: null, own: null }] }), {
    limit: 10,
    items: [{ name: 'x', own: null }],
  })
})

test('nothing else is taken', () => {
  const refused = [
    { filter: { names: null } },
    { items: 'not JSON' },
    { items: '{"name": "x"}' },
    { items: [null] },
    { items: `${'['.repeat(200)}${']'.repeat(200)}` },
    { items: `[${'1,'.repeat(60_000)}1]` },
    { limit: '10' },
    { text: 3 },
    { items: Array.from({ length: 101 }, () => ({ name: 'x', note: null })) },
  ]
  for (const input of refused) assert.equal(forgiven(input), undefined, JSON.stringify(input).slice(0, 80))
})

test('members with names of Object.prototype stay own members', () => {
  const input = JSON.parse('{"items": [{"name": "x", "note": null, "__proto__": {"polluted": true}}]}')
  const answer = forgiven(input)

  assert.equal(answer === undefined, false)
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined)
})
