import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PROGRESS, playReplicaFaults, REPLICA_FAULTS } from './testing/faults.ts'

const KINDS = Object.keys(REPLICA_FAULTS)
/** Two of each kind: with those of the other files, over forty. The long proofs play a thousand. */
const FAULTS = Number(process.env['SATCHEL_FAULTS'] ?? 2 * KINDS.length)

test(`three replicas, two workers and their database lose nothing that was acknowledged in ${FAULTS} faults, and do nothing twice`, async (t) => {
  const story = await playReplicaFaults(t, { faults: FAULTS, kinds: KINDS })
  if (!story) return

  assert.deepEqual(story.findings, [])
  assert.ok(story.acknowledged.size >= FAULTS * PROGRESS)
})
