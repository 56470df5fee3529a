import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import type { PostgresServer } from './postgres-server.ts'

/** Where the connection ends: before the server gets the next write, while that waits there, or before its answer arrives. */
export type Cut = 'request' | 'waiting' | 'answer'

/** The statements that change rows have this text. */
const WRITE = 'changed as ('

/**
 * A way to the server that can be cut. The server does not notice: it finishes what it has. `marker`: which statements a cut
 * may meet.
 */
export async function openWay(t: TestContext, server: PostgresServer, marker = WRITE) {
  let next: Cut | undefined
  let port = server.port
  let waiting: (() => Promise<void>) | undefined
  const sockets = new Set<Socket>()
  const proxy = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    let isDeaf = false
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
    near.on('close', () => {
      if (!isDeaf) far.destroy()
    })
    far.on('close', () => near.destroy())
    near.on('data', (bytes) => {
      const cut = next
      if (cut === undefined || !bytes.includes(marker)) return void far.write(bytes)
      next = undefined
      if (cut === 'request') return void near.destroy()
      isDeaf = true
      far.write(bytes)
      if (cut === 'answer') far.once('data', () => near.destroy())
      else void waiting?.().then(() => near.destroy())
    })
    far.on('data', (bytes) => {
      if (!isDeaf) near.write(bytes)
    })
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  })
  const { port: own } = proxy.address() as AddressInfo
  return {
    url: server.url.replace(`:${server.port}/`, `:${own}/`),
    /** From now on the server is another one; what goes to the one before is cut. */
    leadTo(other: number) {
      port = other
      for (const socket of sockets) socket.destroy()
      sockets.clear()
    },
    cut(where: Cut, until?: () => Promise<void>) {
      next = where
      waiting = until
    },
  }
}
