import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergedFlags } from './server-flags.ts'

const ENTRY = ['--room', 'plan.md', '--read-only', '--profile=core']

test('flags that a call does not give stay as they are', () => {
  assert.deepEqual(mergedFlags(ENTRY, []), { flags: ENTRY, kept: ENTRY })
})

test('a flag that a call gives replaces that of the entry, in either spelling', () => {
  const typed = [
    { name: '--room', value: 'other.md' },
    { name: '--profile', value: 'full' },
  ]

  assert.deepEqual(mergedFlags(ENTRY, typed), {
    flags: ['--read-only', '--room', 'other.md', '--profile', 'full'],
    kept: ['--read-only'],
  })
})

test('an empty value takes a flag out, and does nothing without one', () => {
  const typed = [{ name: '--room', value: '' }]

  assert.deepEqual(mergedFlags(ENTRY, typed).flags, ['--read-only', '--profile=core'])
  assert.deepEqual(mergedFlags([], typed).flags, [])
})
