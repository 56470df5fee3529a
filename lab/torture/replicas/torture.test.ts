import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_SMALL_DISK, openSmallDisk } from '../../../test/small-disk.ts'
import { fullDiskFault, PROGRESS, playReplicaFaults, REPLICA_FAULTS, TEAM_FAULTS } from './testing/faults.ts'

const FULL_DISK = 'the disk of the records is full'
const KINDS = Object.keys({ ...REPLICA_FAULTS, ...TEAM_FAULTS, [FULL_DISK]: undefined })
/** Two of each kind: with those of the standby, and those of a room's processes, over forty. The long proofs play a thousand. */
const FAULTS = Number(process.env['SATCHEL_FAULTS'] ?? 2 * KINDS.length)

test(`three replicas, two workers and their database lose nothing that was acknowledged in ${FAULTS} faults, and do nothing twice`, async (t) => {
  const disk = openSmallDisk(t)
  if (!disk) t.diagnostic(`${NO_SMALL_DISK}; all other faults are played`)
  const story = await playReplicaFaults(t, {
    faults: FAULTS,
    kinds: disk ? KINDS : KINDS.filter((kind) => kind !== FULL_DISK),
    ...(disk && { more: { [FULL_DISK]: fullDiskFault(disk) } }),
    prepare(server) {
      if (!disk) return
      disk.grow()
      server.sql(`create tablespace small location '${disk.folder}'`)
      server.sql('alter table satchel.handoff_records set tablespace small')
    },
  })
  if (!story) return

  assert.deepEqual(story.findings, [])
  assert.ok(story.acknowledged.size >= FAULTS * PROGRESS)
})
