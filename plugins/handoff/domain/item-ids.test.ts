import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createItemIds, numberItems } from './item-ids.ts'
import { MAX_ITEMS } from './record-size.ts'

test('after 999 the items of a collection go on under one other letter, up to as many as a record may hold', () => {
  const given = { decisions: Array.from({ length: MAX_ITEMS }, () => ({ decision: 'd' })) }

  const ids = numberItems(given, []).items.decisions.map(({ id }) => String(id))

  assert.equal(new Set(ids).size, MAX_ITEMS)
  assert.deepEqual(
    [0, 998, 999, 1000, 1997, 1998, MAX_ITEMS - 1].map((index) => ids[index]),
    ['D-001', 'D-999', 'A-001', 'A-002', 'A-999', 'B-001', 'H-005'],
  )
})

test('an id is new as long as one is left, also where own labels take some', () => {
  const used = createItemIds(['D-999', 'A-999', 'E-500'])

  assert.equal(used.next('D'), 'B-001')
  assert.equal(used.next('E'), 'E-501')
  for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') used.add(`${letter}-999`)
  assert.equal(used.next('D'), 'D-001')
  for (let number = 1; number < 999; number += 1) used.add(`D-${String(number).padStart(3, '0')}`)
  assert.equal(used.next('D'), 'A-001')
})
