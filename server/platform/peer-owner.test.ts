import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isOwnUser } from './peer-owner.ts'

const OTHER_USER = 65534
const isLinux = process.platform === 'linux'

async function listening(t: TestContext, host = '127.0.0.1'): Promise<{ server: Server; port: number }> {
  const server = createServer({ allowHalfOpen: true })
  server.listen(0, host)
  await once(server, 'listening')
  const accepted = new Set<Socket>()
  server.on('connection', (socket) => accepted.add(socket.on('error', () => {})))
  t.after(() => {
    for (const socket of accepted) socket.destroy()
    server.close()
  })
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return { server, port: address.port }
}

/** Both ends of a new connection from this process. */
async function pairOf(
  t: TestContext,
  host: string,
  to = host,
): Promise<{ client: Socket; accepted: Socket }> {
  const { server, port } = await listening(t, host)
  const client = connect({ port, host: to, allowHalfOpen: true }).on('error', () => {})
  t.after(() => client.destroy())
  const [accepted]: Socket[] = await once(server, 'connection')
  assert.ok(accepted)
  return { client, accepted }
}

describe('the owner of a connection', {
  skip: !isLinux && 'NOT RUN: this system does not list owners',
}, () => {
  for (const [host, to] of [
    ['127.0.0.1', '127.0.0.1'],
    ['127.0.0.1', '::ffff:127.0.0.1'],
    ['0.0.0.0', '127.4.5.6'],
    ['::', '127.0.0.1'],
    ['::', '::ffff:127.0.0.1'],
    ['::1', '::1'],
  ] as const) {
    it(`is this user where this process connects from ${to} to ${host}`, async (t) => {
      const { accepted } = await pairOf(t, host, to)

      assert.equal(await isOwnUser(accepted), true)
    })
  }

  it('is another user where a process of that user connects', async (t) => {
    if (process.getuid?.() !== 0) return t.skip('NOT RUN: only root can start a process of another user')
    const { server, port } = await listening(t)
    const script = `exec 3<>/dev/tcp/127.0.0.1/${port}; echo hi >&3; read line <&3`
    const child = spawn('bash', ['-c', script], {
      uid: OTHER_USER,
      gid: OTHER_USER,
      cwd: '/',
      stdio: 'ignore',
    })
    t.after(() => child.kill())
    const [accepted]: Socket[] = await once(server, 'connection')
    assert.ok(accepted)

    assert.equal(await isOwnUser(accepted), false)
  })

  it('is unknown of a socket that its process closed, although the kernel then shows user 0', async (t) => {
    const { client, accepted } = await pairOf(t, '127.0.0.1')
    client.destroy()
    await once(client, 'close')

    assert.equal(await isOwnUser(accepted), false)
  })

  it('is unknown after a reset, also if the pair of addresses is in use again', async (t) => {
    const { client, accepted } = await pairOf(t, '127.0.0.1')
    const { localPort: remotePort, remotePort: localPort } = accepted
    accepted.pause()
    client.resetAndDestroy()
    await once(client, 'close')
    const again = connect({ port: Number(remotePort), host: '127.0.0.1', localPort: Number(localPort) })
    again.on('error', () => {})
    t.after(() => again.destroy())
    await once(again, 'connect')

    assert.equal(await isOwnUser(accepted), false)
  })

  it('is known of a client that sends no more and waits for its answer', async (t) => {
    const { client, accepted } = await pairOf(t, '127.0.0.1')
    client.end()
    accepted.resume()
    await once(accepted, 'end')
    await sleep(1)

    assert.equal(await isOwnUser(accepted), true)
  })

  it('is found for 200 connections that ask together', async (t) => {
    const { server, port } = await listening(t)
    const accepted: Socket[] = []
    server.on('connection', (socket: Socket) => accepted.push(socket))
    for (let at = 0; at < 200; at++) {
      const client = connect(port, '127.0.0.1').on('error', () => {})
      t.after(() => client.destroy())
    }
    while (accepted.length < 200) await once(server, 'connection')

    const found = await Promise.all(accepted.map(isOwnUser))

    assert.ok(found.every(Boolean))
  })
})

it('no owner is known of a connection beyond loopback', async () => {
  const socket = { remoteAddress: '192.0.2.7', remotePort: 1, localAddress: '192.0.2.1', localPort: 2 }

  assert.equal(await isOwnUser(socket as Socket), false)
})
