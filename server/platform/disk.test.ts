import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/harness/temporary-folder.ts'
import { realDisk } from './disk.ts'
import { testDiskConformance } from './testing/disk-conformance.ts'
import { createSimulatedDisk } from './testing/simulated-disk.ts'

testDiskConformance('the disk of this machine', async (t) => {
  const folder = await temporaryFolder(t)
  return { disk: realDisk, folder }
})

testDiskConformance('the simulated disk', async () => {
  const { disk } = createSimulatedDisk(new Map([['/folder', 'directory']]), { below: () => 0 })
  return { disk, folder: '/folder' }
})

test('a link is made when its call returns, so that its caller notes it before anything else happens', async (t) => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'from'), '')

  const linked = realDisk.link(join(folder, 'from'), join(folder, 'to'))

  assert.ok(existsSync(join(folder, 'to')))
  await linked
})
