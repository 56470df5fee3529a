import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSound, failAtEveryStep, records, WRITES } from '../testing/failing-disk.ts'
import { openTestProject, SMALL } from '../testing/fixture.ts'

for (const write of WRITES) {
  test(`EIO at any step of ${write.name} leaves old or new records and nothing torn`, (t) =>
    failAtEveryStep(t, write, 'EIO'))
}

test('the check of a fault bites: a store that writes records in place is found torn', async (t) => {
  const project = await openTestProject(t)
  const { path } = await project.call('handoff_create', SMALL)
  const before = records(project.root)
  project.write(path, project.read(path).slice(0, 300))

  await assert.rejects(assertSound(project.root, before, 'a planted tear'))
})
