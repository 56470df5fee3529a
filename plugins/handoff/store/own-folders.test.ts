import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { realDisk } from '../../../server/plugin.ts'
import { openTestProject, SMALL } from '../testing/fixture.ts'
import { layoutOf } from './layout.ts'
import { openStore } from './store.ts'

/** What only one machine needs. */
const OWN = ['.cache', '.local', '.locks', '.tmp'].map((name) => `.handoffs/${name}/.gitignore`)

for (const isOlder of [false, true]) {
  test(`on a branch without the store nothing of ${isOlder ? 'an older' : 'a'} store is committed`, async (t) => {
    const project = await openTestProject(t, { repository: true })
    project.git('branch', 'before')
    const { id } = await project.call('handoff_create', SMALL)
    await project.call('handoff_list')
    await project.call('handoff_transition', { id, to: 'archived' })
    if (isOlder) {
      for (const path of OWN) rmSync(join(project.root, path), { force: true })
      const layout = layoutOf(project.root, join(project.root, '.handoffs'))
      await openStore({ disk: realDisk, layout, now: Date.now }).preparing(async () => {})
    }
    project.git('add', '-A')
    project.git('commit', '-qm', 'records')

    project.git('checkout', '-q', 'before')
    project.git('add', '-A')

    assert.equal(project.git('status', '--porcelain'), '')
    assert.ok(project.files().some((path) => path.startsWith('.handoffs/.locks/')))
  })
}

test('the ignore files of a store are neither left over nor removed', async (t) => {
  const project = await openTestProject(t)
  await project.call('handoff_create', SMALL)
  project.advance(24 * 3600)

  await project.call('handoff_create', { ...SMALL, parent: 'none' })
  const { problems } = await project.call('handoff_doctor')

  assert.deepEqual(
    problems.filter(({ kind }: { kind: string }) => kind === 'orphan_temp'),
    [],
  )
  assert.ok(project.files().includes('.handoffs/.tmp/.gitignore'))
})
