import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedLooks } from './shared-looks.ts'

/** Looks that end when the test says so; each gives what there was when it began. */
function heldLooks() {
  const began: { readonly budgetMs: number; end(): void; fail(): void }[] = []
  const state = { written: 0 }
  const looks = sharedLooks((budgetMs) => {
    const seen = state.written
    return new Promise<number>((resolve, reject) => {
      began.push({ budgetMs, end: () => resolve(seen), fail: () => reject(new Error('planted')) })
    })
  })
  const isBegun = async (count: number): Promise<void> => {
    while (began.length < count) await new Promise((resolve) => setImmediate(resolve))
  }
  return { looks, began, state, isBegun }
}

test('callers that come during a look share the next one, which begins after all of them', async () => {
  const { looks, began, state, isBegun } = heldLooks()

  const first = looks(1)
  await isBegun(1)
  const later = Array.from({ length: 30 }, () => {
    state.written += 1
    return looks(1)
  })
  began[0]?.end()
  await isBegun(2)
  began[1]?.end()

  assert.equal(await first, 0)
  assert.deepEqual(new Set(await Promise.all(later)), new Set([30]))
  assert.equal(began.length, 2)
})

test('a look that fails is told to its callers only, and one of another time limit is not shared', async () => {
  const { looks, began, isBegun } = heldLooks()

  const first = looks(1)
  const other = looks(2)
  await isBegun(1)
  began[0]?.fail()
  await assert.rejects(first, /planted/)
  await isBegun(2)
  began[1]?.end()

  await other
  assert.deepEqual(
    began.map(({ budgetMs }) => budgetMs),
    [1, 2],
  )
})
