import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PROGRESS, playReplicaFaults, REPLICA_FAULTS } from './testing/faults.ts'

/** Three of each kind; the long proofs play a thousand. */
const FAULTS = Number(process.env['SATCHEL_FAULTS'] ?? 3 * Object.keys(REPLICA_FAULTS).length)

test(`three replicas and their database lose nothing that was acknowledged in ${FAULTS} faults, and do nothing twice`, async (t) => {
  const story = await playReplicaFaults(t, { faults: FAULTS, kinds: Object.keys(REPLICA_FAULTS) })
  if (!story) return

  assert.deepEqual(story.findings, [])
  assert.ok(story.acknowledged.size >= FAULTS * PROGRESS)
})
