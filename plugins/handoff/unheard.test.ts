import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTestProject, SMALL } from './testing/fixture.ts'
import { runHook } from './testing/run-hook.ts'

const UNHEARD = { isHeard: false }

test('a brief that could not be printed does not count as shown, and the next start prints it', async (t) => {
  const project = await openTestProject(t, { repository: true, env: { SATCHEL_SESSION: 'one' } })
  await project.call('handoff_create', SMALL)
  const start = (parts = {}) =>
    runHook(project, 'session-start', { session_id: 'one', cwd: project.root, source: 'resume' }, parts)
  const noted = () => JSON.parse(project.read('.handoffs/.local/sessions.json'))[0]

  await start(UNHEARD)
  assert.deepEqual([noted().shown, noted().given], [false, undefined])
  assert.match((await start()).stdout, /Reject replayed state parameters/)
  assert.equal(noted().shown, true)
  assert.equal((await start()).stdout, '')
})

test('what a hook could not print after a compaction counts as lost', async (t) => {
  const project = await openTestProject(t, { repository: true, env: { SATCHEL_SESSION: 'one' } })
  await project.call('handoff_create', SMALL)
  const hook = (event: string, parts = {}) =>
    runHook(project, event, { session_id: 'one', cwd: project.root, source: 'compact' }, parts)
  const given = () => {
    const log = project.files().find((path) => path.includes('/.local/retention-')) ?? ''
    return JSON.parse(project.read(log)).given.shown.length
  }

  await hook('pre-compact')
  await hook('session-start', UNHEARD)
  assert.equal(given(), 0)
  await hook('session-start')
  assert.equal(given(), 1)
})

test('a reminder that could not be printed is printed by the next stop', async (t) => {
  const project = await openTestProject(t, { repository: true })
  await project.call('handoff_create', SMALL)
  const stop = (parts = {}) => runHook(project, 'stop', { session_id: 'one', cwd: project.root }, parts)
  await stop()
  project.write('src/callback.ts', 'changed\n')
  project.git('commit', '-q', '-am', 'a change')
  project.advance(30 * 60)

  await stop(UNHEARD)

  assert.match((await stop()).stdout, /1 commit/)
  assert.equal((await stop()).stdout, '')
})

test('where nothing can be kept, stop does not remind each time', async (t) => {
  const project = await openTestProject(t, { repository: true, env: { SATCHEL_SESSION: 'one' } })
  await project.call('handoff_create', SMALL)
  rmSync(join(project.root, '.handoffs/.local'), { recursive: true, force: true })
  for (const name of ['a', 'b', 'c']) project.write(`src/${name}.ts`, 'changed\n')
  project.advance(30 * 60)
  const stop = async () => {
    const { stdout } = await runHook(project, 'stop', { session_id: 'one', cwd: project.root })
    return stdout === ''
  }

  project.write('.handoffs/.local', 'not a folder')
  assert.deepEqual([await stop(), await stop()], [true, true])
  rmSync(join(project.root, '.handoffs/.local'))
  assert.deepEqual([await stop(), await stop()], [false, true])
})
