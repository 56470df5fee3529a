import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTestProject, SMALL, type TestProject } from './testing/fixture.ts'
import { runHook } from './testing/run-hook.ts'

/** Bytes and times of every file but those of this machine, which git ignores. */
function shared(project: TestProject) {
  const own = project.files().filter((path) => !/^\.handoffs\/\.(?:local|cache|locks|tmp)\//.test(path))
  return own.map((path) => [path, statSync(join(project.root, path)).mtimeMs, project.read(path)])
}

const EVENTS = [
  ['session-start', 'startup'],
  ['session-start', 'resume'],
  ['pre-compact', undefined],
  ['session-start', 'compact'],
  ['stop', undefined],
  ['session-end', undefined],
] as const

for (const status of ['draft', 'ready', 'resumed'] as const) {
  test(`hooks and a look without a mark leave every byte and time of a ${status} record`, async (t) => {
    const project = await openTestProject(t, { repository: true, env: { SATCHEL_SESSION: 'one' } })
    const { id } = await project.call('handoff_create', { ...SMALL, completed: ['x'] })
    if (status !== 'draft')
      await project.call('handoff_transition', { id, to: 'ready', accept_warnings: 'a test' })
    if (status === 'resumed') await project.call('handoff_resume', { id })
    project.write('src/callback.ts', 'changed\n')
    const before = shared(project)

    for (const session_id of ['one', 'two']) {
      for (const [event, source] of EVENTS) {
        project.advance(1500)
        await runHook(project, event, { session_id, cwd: project.root, source, trigger: 'auto' })
      }
    }
    const { marked } = await project.call('handoff_resume', { id, mark: false })

    assert.equal(marked, false)
    assert.deepEqual(shared(project), before)
  })
}

test('the look that marks bites: a ready record changes', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id } = await project.call('handoff_create', { ...SMALL, completed: ['x'] })
  await project.call('handoff_transition', { id, to: 'ready', accept_warnings: 'a test' })
  const before = shared(project)

  await project.call('handoff_resume', { id })

  assert.notDeepEqual(shared(project), before)
})
