import assert from 'node:assert/strict'
import { test } from 'node:test'
import { figureOf, figureTable } from './figure.ts'
import { bestOf, inTurns } from './rounds.ts'

test('both sides take turns, and each is judged by its own best round', async () => {
  const order: string[] = []
  const values = { ours: [10, 30, 20], against: [50, 40, 60] }
  const next = (side: keyof typeof values) => async () => {
    order.push(side)
    return values[side][order.filter((one) => one === side).length - 1] ?? 0
  }

  const rounds = await inTurns(3, { ours: next('ours'), against: next('against') })

  assert.deepEqual(order, ['ours', 'against', 'ours', 'against', 'ours', 'against'])
  assert.deepEqual(bestOf(rounds, 'at_least'), { ours: 30, against: 60, rounds, sense: 'at_least' })
  assert.deepEqual(bestOf(rounds, 'at_most'), { ours: 10, against: 40, rounds, sense: 'at_most' })
})

test('rounds that warm both sides up are not counted', async () => {
  const taken = { ours: 0, against: 0 }
  const next = (side: keyof typeof taken) => async () => ++taken[side]

  const rounds = await inTurns(2, { ours: next('ours'), against: next('against') }, 3)

  assert.deepEqual(rounds, { ours: [4, 5], against: [4, 5] })
})

test('a figure of several rounds prints the medians beside the best', () => {
  const rounds = { ours: [10, 30, 20], against: [50, 40, 60] }
  const words = { name: 'a', what: 'a', unit: '/s', against_what: 'b', goal: 0.5 }

  const table = figureTable([figureOf({ ...words, ...bestOf(rounds, 'at_least') })])

  assert.match(table, /30\.00 \/s against 60\.00 \(b\), medians 20\.00 and 50\.00$/)
})
