import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { leastCpuMsAtRest } from '../../../test/harness/cpu-time.ts'
import { unifiedDiff } from './difference.ts'
import { merge } from './merge.ts'

const text = fc
  .array(fc.constantFrom('', 'a', 'b', 'c', '=1', '+a'), { maxLength: 12 })
  .map((lines) => lines.join('\n'))

test('what only one side changed is taken as it is, and so is the same change of both', () => {
  fc.assert(
    fc.property(text, text, (base, changed) => {
      assert.deepEqual(merge(base, base, changed), { kind: 'clean', text: changed })
      assert.deepEqual(merge(base, changed, base), { kind: 'clean', text: changed })
      assert.deepEqual(merge(base, changed, changed), { kind: 'clean', text: changed })
    }),
    { numRuns: 2000 },
  )
})

test('changes at two places are merged with any text between, and changes at one place are shown', () => {
  const between = fc.array(fc.constantFrom('', 'x', 'y'), { minLength: 1, maxLength: 8 })

  fc.assert(
    fc.property(between, (lines) => {
      const around = (head: string, tail: string): string =>
        ['top', ...lines, 'end'].join('\n').replace('top', head).replace('end', tail)
      const base = around('top', 'end')

      assert.deepEqual(merge(base, around('TOP', 'end'), around('top', 'END')), {
        kind: 'clean',
        text: around('TOP', 'END'),
      })
      assert.deepEqual(merge(base, around('TOP', 'end'), around('Top', 'END')), {
        kind: 'conflict',
        hunks: [{ base: 'top', current: 'TOP', proposed: 'Top' }],
      })
    }),
    { numRuns: 500 },
  )
})

const LINES = 100_000
const same = 'x\n'.repeat(LINES)
const other = (mark: string): string =>
  Array.from({ length: LINES }, (_, line) => `${mark}${line}`).join('\n')

const WORST: Readonly<Record<string, () => unknown>> = {
  'equal lines, changed at both ends': () => merge(same, `${same}y\n`, `z\n${same}`),
  'equal lines, half of them removed': () => merge(same, same.slice(LINES), same.slice(LINES)),
  'texts that have nothing in common': () => merge(other('a'), other('b'), other('c')),
  'a diff of texts that have nothing in common': () => unifiedDiff(other('a'), other('b'), 1000),
  'a diff of 5,000 lines, all new': () =>
    unifiedDiff(other('a').split('\n', 5000).join('\n'), other('b').split('\n', 5000).join('\n'), 1000),
}

for (const [what, compare] of Object.entries(WORST)) {
  test(`a comparison takes less than a second: ${what}`, () => {
    const spent = leastCpuMsAtRest(compare, 1000)

    assert.ok(spent < 1000, `${spent} ms`)
  })
}
