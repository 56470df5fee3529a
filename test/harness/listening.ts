import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import type { TestContext } from 'node:test'

/** Where a server of a test listens. */
export interface Listening {
  readonly port: number
  readonly url: string
}

/** Has a server listen on loopback, at a port that is free; closed with its HTTP connections after the test. */
export async function listening(
  t: TestContext,
  server: Server & Partial<Pick<HttpServer, 'closeAllConnections'>>,
  host = '127.0.0.1',
): Promise<Listening> {
  await once(server.listen(0, host), 'listening')
  t.after(() => {
    server.closeAllConnections?.()
    server.close()
  })
  const { port } = server.address() as AddressInfo // a TCP server's address is never a string
  return { port, url: `http://${host}:${port}` }
}
