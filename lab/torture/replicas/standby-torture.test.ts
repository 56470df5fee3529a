import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PROGRESS, playReplicaFaults, REPLICA_FAULTS, STANDBY_FAULTS, TEAM_FAULTS } from './testing/faults.ts'

const STANDBY_KINDS = Object.keys({ ...STANDBY_FAULTS, ...REPLICA_FAULTS, ...TEAM_FAULTS })
const STANDBY_FAULTS_PLAYED = Number(process.env['SATCHEL_STANDBY_FAULTS'] ?? 4)

test(`a team goes on at promoted standbys through ${STANDBY_FAULTS_PLAYED} faults and loses nothing that was acknowledged`, async (t) => {
  const faults = STANDBY_FAULTS_PLAYED
  const story = await playReplicaFaults(t, { faults, kinds: STANDBY_KINDS, standby: true })
  if (!story) return

  assert.deepEqual(story.findings, [])
  assert.ok(story.acknowledged.size >= faults * PROGRESS)
})
