import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { loadRoomSql } from '../../room/sql.ts'
import { interleave } from './testing/interleaving.ts'

const INTERLEAVINGS = Number(process.env['INTERLEAVINGS'] ?? 150)
const SEED = Number(process.env['SEED'] ?? 20_261_122)

test('however edits and commits interleave, every text of both sides is in some version', async (t) => {
  t.diagnostic(`seed ${SEED}, ${INTERLEAVINGS} interleavings`)
  const sql = await loadRoomSql()
  const step = fc.record({ by: fc.constantFrom('us', 'editor'), after: fc.nat({ max: 12 }) })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const { missing } = await interleave(sql, steps)
      assert.deepEqual(missing, [])
    }),
    { numRuns: INTERLEAVINGS, seed: SEED },
  )
})
