import { test } from 'node:test'
import { NO_SMALL_DISK, openSmallDisk } from '../../../test/small-disk.ts'
import { fullDiskFault, surviveReplicaFaults, WORKER_FAULTS } from './testing/faults.ts'

const FULL_DISK = 'the disk of the records is full'
const KINDS = Object.keys({ ...WORKER_FAULTS, [FULL_DISK]: undefined })
const FAULTS = Number(process.env['SATCHEL_FAULTS'] ?? 2 * KINDS.length)

test(`the workers and the disk of a team fail ${FAULTS} times, and nothing acknowledged is lost or done twice`, async (t) => {
  const disk = openSmallDisk(t)
  if (!disk) t.diagnostic(`${NO_SMALL_DISK}; all other faults are played`)
  await surviveReplicaFaults(t, {
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
})
