import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { realDisk } from './disk.ts'
import { testDiskConformance } from './testing/disk-conformance.ts'
import { createSimulatedDisk } from './testing/simulated-disk.ts'

testDiskConformance('the disk of this machine', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'satchel-disk-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return { disk: realDisk, folder }
})

testDiskConformance('the simulated disk', async () => {
  const { disk } = createSimulatedDisk(new Map([['/folder', 'directory']]), { below: () => 0 })
  return { disk, folder: '/folder' }
})
