import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/harness/index.ts'
import { repositoryEntry } from '../config.ts'
import { openAskedRepository } from './asked-repository.ts'
import { planRepositories } from './plan.ts'

test('a remote that never answers ends the read when its time is over, and leaves no clone', async (t) => {
  const folder = await temporaryFolder(t)
  const sockets: { destroy(): void }[] = []
  const time = new AbortController()
  const server = createServer((socket) => {
    sockets.push(socket)
    time.abort(new DOMException('', 'TimeoutError')) // not before it waits for the remote, however busy the machine is
  }).listen(0, '127.0.0.1')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a TCP server
  const entry = repositoryEntry.parse({ url: `http://127.0.0.1:${port}/acme/net` })
  const options = { recursive: false, workingDirectory: folder, parserVersion: 'any' }
  const [plan] = planRepositories([entry], options).repositories
  assert.ok(plan)
  const cloneDir = join(folder, 'repos')
  const repository = await openAskedRepository(plan, {
    cloneDir,
    known: new Set(),
    env: { PATH: process.env['PATH'] },
    signal: time.signal,
  })
  t.after(() => repository.close())

  await assert.rejects(repository.find({ ref: 'v1.0.0' }), { reason: 'timeout' })

  assert.deepEqual(await readdir(cloneDir), [])
})
