import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Disk, realDisk } from '../../server/plugin.ts'
import { examineStore } from './actions/doctor.ts'
import { handoffConfig } from './config.ts'
import { createHandoffs } from './project.ts'
import { contextOf, openTestProject, SMALL, testHost } from './testing/fixture.ts'

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

test('doctor and every other call name the folder of the store that they may not read', async (t) => {
  const { root, now } = await openTestProject(t)
  mkdirSync(join(root, '.handoffs/records'), { recursive: true })
  const records = join(root, '.handoffs/records')
  const closed = async (path: string) => {
    if (path === records || path.startsWith(`${records}/`))
      throw Object.assign(new Error('EACCES'), { code: 'EACCES', path })
  }
  const disk: Disk = {
    ...realDisk,
    list: async (path) => closed(path).then(() => realDisk.list(path)),
    readFile: async (path) => closed(path).then(() => realDisk.readFile(path)),
    stat: async (path) => closed(path).then(() => realDisk.stat(path)),
  }
  const handoffs = createHandoffs(testHost(root, now), handoffConfig.parse({}), { disk })
  const project = await handoffs.project(contextOf(root), undefined)

  const [problem] = await examineStore(project, 0, 0)

  assert.deepEqual([problem?.kind, problem?.path], ['unusable_store', '.handoffs/records'])
  const named = { reason: 'store_unwritable', message: /The folder \.handoffs\/records of .*EACCES/ }
  await assert.rejects(project.store.ids(), named)
  await assert.rejects(project.index.view(), named)
})
