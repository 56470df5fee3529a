import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imitations, mayPassFor } from './imitation.ts'

test('names that an eye takes for another are found', () => {
  const pairs = [
    ['\u043ewner', 'owner'], // Cyrillic
    ['0wner', 'owner'],
    ['Owner', 'owner'],
    ['o-w-n-e-r', 'owner'],
    ['owner.', 'owner'],
    ['ownner', 'owner'],
    ['onwer', 'owner'],
    ['rnaria', 'maria'],
    ['\u0430d\u0430', 'ada'],
    ['paul1', 'paull'],
  ] as const
  for (const [name, other] of pairs) assert.ok(mayPassFor(name, other), `${name} for ${other}`)
})

test('names of their own are not', () => {
  const pairs = [
    ['ada', 'owner'],
    ['bob', 'rob'], // one letter of three is a difference
    ['ada', 'ida'],
    ['claude-2', 'claude'], // the number that the room gives
    ['owner-3', 'owner-2'],
    ['owner-12', 'owner-2'],
    ['owner', 'owner'],
    ['reviewer', 'owner'],
    ['李雷', '韩梅梅'],
  ] as const
  for (const [name, other] of pairs) assert.ok(!mayPassFor(name, other), `${name} for ${other}`)
})

/** Members in the order they joined; `read` counts how often a name was looked at. */
function members(names: readonly string[]) {
  let read = 0
  const list = names.map((name, at) => ({
    participant_id: `par_${at}`,
    joined_at: `2026-11-20T13:00:00.${String(at).padStart(6, '0')}+00:00`,
    get name() {
      read += 1
      return name
    },
  }))
  return { list, read: () => read }
}

test('of two names that look alike the later one is marked, with the earlier one', () => {
  const { list } = members(['owner', 'ada', 'owner-2', 'owner-3', 'ada-2', '0wner'])

  assert.deepEqual([...imitations(list)], [['par_5', 'owner']])
})

test('the names of a list of members are compared once, however often the page is drawn', () => {
  const { list, read } = members(Array.from({ length: 200 }, (_, at) => `member of team ${at}`))
  const first = imitations(list)
  const looked = read()

  for (const { participant_id } of list) imitations(list).get(participant_id)

  assert.equal(read(), looked)
  assert.equal(imitations(list), first)
})
