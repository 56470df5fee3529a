import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cyclesOf } from './lineage-graph.ts'

const SEED = Number(process.env['SEED'] ?? 20261121)

/** A few records, each with parents among them and one that is nowhere. */
const rows = fc
  .array(fc.array(fc.nat(8), { maxLength: 3 }), { minLength: 1, maxLength: 8 })
  .map((all) => all.map((parents, n) => ({ id: `r${n}`, parents: parents.map((parent) => `R${parent}`) })))

test(`records that are their own ancestors are found together, and nothing else is (seed ${SEED})`, () => {
  let withCycles = 0
  fc.assert(
    fc.property(rows, (rows) => {
      const above = closure(rows)
      const together = (a: string, b: string) => above.get(a)?.has(b) && above.get(b)?.has(a)
      const onCycle = rows.map(({ id }) => id).filter((id) => together(id, id))
      const groups = onCycle.map((id) => onCycle.filter((other) => together(id, other)))
      const expected = groups.filter((group, n) => group[0] === onCycle[n])

      assert.deepEqual(cyclesOf(rows), expected)
      if (expected.length > 0) withCycles++
    }),
    { seed: SEED, numRuns: 1_000 },
  )
  assert.ok(withCycles > 100 && withCycles < 1_000, String(withCycles))
})

/** Every ancestor of each record, found by adding those of its ancestors until nothing is added. */
function closure(rows: readonly { id: string; parents: readonly string[] }[]): Map<string, Set<string>> {
  const above = new Map(
    rows.map(({ id, parents }) => [id, new Set(parents.map((parent) => parent.toLowerCase()))]),
  )
  for (let before = -1, now = 0; before !== now; ) {
    before = now
    for (const set of above.values())
      for (const one of [...set]) for (const more of above.get(one) ?? []) set.add(more)
    now = [...above.values()].reduce((sum, set) => sum + set.size, 0)
  }
  return above
}
