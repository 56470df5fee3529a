import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { listening } from '../../test/harness/listening.ts'
import { sessionName } from './domain/record-id.ts'
import { folderOf, readHookInput } from './hook-input.ts'
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

/** Both ends of a connection, of which the second is not read yet. */
async function openPipe(t: TestContext): Promise<readonly [Socket, Socket]> {
  const server = createServer({ pauseOnConnect: true })
  const { port } = await listening(t, server)
  const harness = connect(port, '127.0.0.1')
  const [stdin] = (await once(server, 'connection')) as [Socket]
  t.after(() => harness.destroy())
  return [harness, stdin]
}

test('input that came while the machine did not let the hook run is read, also where the harness leaves its end open', async (t) => {
  const [harness, stdin] = await openPipe(t)
  const long = { session_id: 'one', cwd: '/', filler: 'x'.repeat(100_000) }
  await new Promise((resolve) => harness.write(JSON.stringify(long), resolve))

  stdin.resume()
  const reading = readHookInput(stdin, 10)
  for (const endMs = performance.now() + 20; performance.now() < endMs; );
  const input = await reading

  assert.deepEqual(input, { sessionId: 'one', cwd: '/', source: undefined })
})

test('input that does not come is not waited for any longer', async (t) => {
  const [harness, stdin] = await openPipe(t)
  await new Promise((resolve) => harness.write('{"session_id":"o', resolve))

  stdin.resume()

  assert.equal(await readHookInput(stdin, 10), undefined)
})
