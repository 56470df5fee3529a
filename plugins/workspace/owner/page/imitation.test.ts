import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayPassFor } from './imitation.ts'

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
    ['owner', 'owner'],
    ['reviewer', 'owner'],
    ['李雷', '韩梅梅'],
  ] as const
  for (const [name, other] of pairs) assert.ok(!mayPassFor(name, other), `${name} for ${other}`)
})
