import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { resolvePointer } from './json-pointer.ts'
import { diffRecords } from './record-diff.ts'

const SEED = Number(process.env['SEED'] ?? 20261121)
const RUNS = { seed: SEED, numRuns: 1_000 }

/** Values as records hold them: objects of lists, items with and without a name, few different texts so that some agree. */
const { value } = fc.letrec<{ value: unknown; item: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>('one', 'Öne', 'two', 'a/b~c', 0, 1, true, null),
    fc.array(tie('item'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('work', 'a/b', '~', '__proto__', 'constructor'), tie('value'), {
      maxKeys: 3,
    }),
  ),
  item: fc.oneof(
    tie('value'),
    fc.record(
      { id: fc.constantFrom('O-001', 'O-002', 'O-003'), description: tie('value') },
      { requiredKeys: [] },
    ),
  ),
}))
const json = value.map((each) => JSON.parse(JSON.stringify(each)) as unknown)

test(`equal values have no difference, and without a difference two values differ at most in the order of lists (seed ${SEED})`, () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      assert.equal(diffRecords(a, structuredClone(a)).summary, 'no difference')
      if (diffRecords(a, b).summary === 'no difference') assert.equal(withoutOrder(a), withoutOrder(b))
    }),
    RUNS,
  )
})

test(`a difference turns around with its sides (seed ${SEED})`, () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      const [there, back] = [diffRecords(a, b), diffRecords(b, a)]

      assert.equal(there.added.length, back.removed.length)
      assert.equal(there.removed.length, back.added.length)
      assert.equal(there.changed.length, back.changed.length)
    }),
    RUNS,
  )
})

test(`every pointer of a difference leads to the value it is given with (seed ${SEED})`, () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      const { added, removed, changed, by_section } = diffRecords(a, b)

      const counts = Object.values(by_section)
      assert.ok(counts.every(Number.isInteger), JSON.stringify(by_section))
      assert.equal(
        counts.reduce((sum, count) => sum + count, 0),
        added.length + removed.length + changed.length,
      )
      for (const { pointer, value } of removed) assert.deepEqual(resolved(a, pointer), value)
      for (const { pointer, value } of added) assert.deepEqual(resolved(b, pointer), value)
      for (const { pointer, after } of changed) assert.deepEqual(resolved(b, pointer), after)
    }),
    RUNS,
  )
})

test('items are known by their ids, not by their places', () => {
  const first = { id: 'O-001', description: 'first', priority: 'high' }
  const second = { id: 'O-002', description: 'second', priority: 'high' }

  const diff = diffRecords(
    { open_items: [first, second] },
    { open_items: [{ ...second, priority: 'low' }, first] },
  )

  assert.deepEqual(diff.changed, [{ pointer: '/open_items/0/priority', before: 'high', after: 'low' }])
  assert.deepEqual([diff.added, diff.removed], [[], []])
})

function resolved(root: unknown, pointer: string): unknown {
  const found = resolvePointer(root, pointer)
  assert.equal(found.kind, 'found', pointer)
  return found.kind === 'found' ? found.value : undefined
}

/** A value as text in which neither members nor elements have an order. */
function withoutOrder(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(withoutOrder).sort().join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}:${withoutOrder(each)}`)
  return `{${members.sort().join()}}`
}
