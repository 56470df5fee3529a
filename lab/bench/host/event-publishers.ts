import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openEventStream } from '../../../server/fanout/event-stream.ts'
import { createPump } from '../../../server/fanout/pump.ts'

/** Size of an event frame in the figures of workspace-engine, section 5. */
export const EVENT_BYTES = 430
/** Events published in one turn of the loop: a group of mutations that one flush made durable. */
export const GROUP = 16

/** A server whose readers get what is published. The caller stops it. */
export interface Publisher {
  readonly server: Server
  publish(frame: Buffer): void
}

/** Publishes through the pump, as the product does. */
export async function pumpPublisher(): Promise<Publisher> {
  const pump = createPump()
  const streams: { offer(frame: Buffer): void }[] = []
  const server = await listeningAt((_incoming, outgoing) => {
    const onLag = (): Buffer => Buffer.from('event: resync\ndata: {"reason":"lagged"}\n\n')
    const stream = openEventStream(outgoing, { pump, onLag })
    streams.push(stream)
    stream.start()
  })
  return {
    server,
    publish(frame) {
      for (const stream of streams) stream.offer(frame)
    },
  }
}

/** What the pump is measured against: one socket write for each event and reader, the least that a lone event takes. */
export async function writePublisher(): Promise<Publisher> {
  const responses: ServerResponse[] = []
  const server = await listeningAt((_incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    outgoing.flushHeaders()
    outgoing.socket?.setNoDelay(true)
    responses.push(outgoing)
  })
  return {
    server,
    publish(frame) {
      const chunk = Buffer.concat([
        Buffer.from(`${frame.length.toString(16)}\r\n`),
        frame,
        Buffer.from('\r\n'),
      ])
      for (const { socket } of responses) socket?.write(chunk)
    },
  }
}

/** An event of so many bytes. */
export function eventFrame(id: number, bytes = EVENT_BYTES): Buffer {
  const head = `id: ${id}\ndata: `
  return Buffer.from(`${head}${'x'.repeat(bytes - head.length - 2)}\n\n`)
}

/** A server on a free port of loopback. */
export async function listeningAt(
  answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
): Promise<Server> {
  const server = createServer(answer)
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 })
  await once(server, 'listening')
  return server
}

/** Ends it with its connections. */
export function stop(server: Server): void {
  server.close()
  server.closeAllConnections()
}

/** Its port. */
export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port // a TCP server's address is never a string
}
