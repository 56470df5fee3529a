/** Starts `satchel serve` and talks to it twice: with the typed client of this package, and with nothing but fetch. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { createClient } from 'satchel'

const root = dirname(createRequire(import.meta.url).resolve('satchel/package.json'))
const project = await mkdtemp(join(tmpdir(), 'satchel-http-client-'))
const server = spawn(
  process.execPath,
  [join(root, 'dist', 'satchel.js'), 'serve', '--host', '127.0.0.1', '--port', '0', '--json'],
  { cwd: project, stdio: ['ignore', 'pipe', 'ignore'] },
)

try {
  // With --json the server says where it listens, in one line.
  const [line] = await once(createInterface({ input: server.stdout }), 'line')
  const [{ address }] = JSON.parse(line).listeners

  const satchel = createClient({ baseUrl: address })
  const { id } = await satchel.call('handoff_create', {
    title: 'Retry the upload',
    objective: 'An upload survives one lost connection',
    current_state: 'The retry works; its limit is not tested.',
  })
  assert.equal((await satchel.health()).status, 'healthy')

  const checked = await fetch(`${address}/handoffs/validate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id }),
  })
  assert.equal(checked.status, 200)
  assert.equal((await checked.json()).schema_valid, true)

  const refused = await fetch(`${address}/handoffs/validate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ recrod: {} }),
  })
  const problem = await refused.json()
  assert.equal(refused.headers.get('content-type'), 'application/problem+json')
  assert.deepEqual([refused.status, problem.code, problem.reason], [400, 'invalid', 'unknown_argument'])

  await assert.rejects(satchel.call('handoff_validate', { id: 'nothing' }), ({ code }) => code !== 'internal')
  console.log(`http-client: ok, record ${id}`)
} finally {
  const exited = once(server, 'exit')
  server.kill('SIGTERM')
  await exited
  await rm(project, { recursive: true, force: true })
}
