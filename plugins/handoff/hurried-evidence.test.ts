import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EvidenceFinding, EvidenceKinds } from '../../server/plugin.ts'
import { hurriedEvidence } from './hurried-evidence.ts'

const HOLDS: EvidenceFinding = { verdict: 'holds', reason: 'as before' }

test('what other plugins check late is unverifiable, and what they checked in time stays', async () => {
  const never = new Promise<never>(() => {})
  const kinds: EvidenceKinds = {
    names: () => never,
    capture: () => never,
    verify: (kind) => (kind === 'quick' ? Promise.resolve(HOLDS) : never),
  }
  const hurried = hurriedEvidence(kinds, 20)

  const [quick, ...slow] = await Promise.all(
    ['quick', 'slow', 'slow'].map((kind) => hurried.verify(kind, {}, '/project')),
  )
  const late = await hurried.names()

  assert.deepEqual(quick, HOLDS)
  for (const one of slow) {
    assert.deepEqual(one, { verdict: 'unverifiable', reason: 'it was not checked in the time of a hook' })
  }
  assert.deepEqual(late, [], 'the time of all checks together is over')
})
