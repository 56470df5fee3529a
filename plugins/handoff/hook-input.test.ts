import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sessionName } from './domain/record-id.ts'
import { folderOf } from './hook-input.ts'
import { openTestProject, SMALL } from './testing/fixture.ts'
import { runHook as hook } from './testing/run-hook.ts'

test('inputs of VS Code, with a mark of byte order, and of Cursor on Windows are read', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id } = await project.call('handoff_create', { ...SMALL, completed: ['x'] })
  await project.call('handoff_transition', { id, to: 'ready', accept_warnings: 'a test' })

  const input = { sessionId: 'v-1', cwd: project.root, hookEventName: 'SessionStart', source: 'new' }
  const started = await hook(project, 'session-start', `\uFEFF${JSON.stringify(input)}`)

  assert.deepEqual(started.notes, [])
  assert.match(started.stdout, /1 handoff ready/)
  assert.ok(project.read('.handoffs/.local/sessions.json').includes(sessionName('v-1')))
  assert.deepEqual(
    [folderOf('/c:/src', 'win32'), folderOf('C:\\src', 'win32'), folderOf('/c:/src', 'linux')],
    ['c:/src', 'C:\\src', '/c:/src'],
  )
})
