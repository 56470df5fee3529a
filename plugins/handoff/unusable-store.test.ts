import assert from 'node:assert/strict'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTestProject, SMALL } from './testing/fixture.ts'

for (const [what, put] of [
  ['a file', (root: string) => writeFileSync(join(root, '.handoffs'), '')],
  ['a link to nothing', (root: string) => symlinkSync('elsewhere', join(root, '.handoffs'))],
] as const) {
  test(`doctor says that ${what} in the place of the store keeps everything from being saved`, async (t) => {
    const project = await openTestProject(t)
    put(project.root)

    const { problems, warnings } = await project.call('handoff_doctor')

    await assert.rejects(project.call('handoff_create', SMALL), { reason: 'store_unwritable' })
    assert.deepEqual(
      problems.map(({ kind, path }: { kind: string; path: string }) => [kind, path]),
      [['unusable_store', '.handoffs']],
    )
    assert.deepEqual(warnings, [])
  })
}
