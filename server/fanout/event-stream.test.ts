import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { listening } from '../../test/harness/listening.ts'
import { openRaw, type Raw } from '../http/testing/open-door.ts'
import { type EventStream, type EventStreamOptions, openEventStream } from './event-stream.ts'
import { createPump } from './pump.ts'
import { manualAfter } from './testing/manual-after.ts'

const frame = (text: string): Buffer => Buffer.from(`data: ${text}\n\n`)

/** A server whose every request becomes a stream; gives the streams and what was closed. */
async function streamServer(
  t: TestContext,
  options: (at: number) => Partial<EventStreamOptions> = () => ({}),
) {
  const pump = createPump(manualAfter().after) // no reader is given up, however long a busy machine takes
  const streams: EventStream[] = []
  const closed: number[] = []
  const server = createServer((_incoming: IncomingMessage, outgoing: ServerResponse) => {
    const at = streams.length
    const onClose = (): void => void closed.push(at)
    streams.push(openEventStream(outgoing, { pump, onClose, ...options(at) }))
    server.emit('stream')
  })
  const { port } = await listening(t, server)
  const open = async (version = '1.1', headers = ''): Promise<{ stream: EventStream; client: Raw }> => {
    const at = streams.length
    const arrived = once(server, 'stream')
    const client = openRaw(t, { port, address: '' }, `GET / HTTP/${version}\r\nHost: x\r\n${headers}\r\n`)
    await arrived
    const stream = streams[at]
    assert.ok(stream)
    return { stream, client }
  }
  return { pump, closed, open }
}

/** What the process holds on to, garbage collected first; memory of the kernel's socket buffers is not in it. */
async function liveBytes(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  for (let pass = 0; pass < 3; pass++) {
    collect()
    await pause(30) // the memory of Buffers is given back after the pass that found them
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

describe('event stream', () => {
  it('sends headers and the retry line first, then history, then the frames offered meanwhile', async (t) => {
    const { open } = await streamServer(t)
    const { stream, client } = await open()
    stream.offer(frame('live'))

    stream.start({ retryMs: 5000, replay: [frame('old 1'), frame('old 2')] })
    const text = await client.until('live')

    assert.match(text, /^HTTP\/1\.1 200 OK\r\n/)
    assert.match(text, /content-type: text\/event-stream\r\n/i)
    assert.match(text, /cache-control: no-store, no-transform\r\n/i)
    assert.match(text, /x-accel-buffering: no\r\n/i)
    const body = text.slice(text.indexOf('\r\n\r\n') + 4)
    assert.match(body, /^d\r\nretry: 5000\n\n\r\n/)
    assert.ok(body.indexOf('old 1') < body.indexOf('old 2') && body.indexOf('old 2') < body.indexOf('live'))
  })

  it('is a well-formed chunked response that ends with the last word', async (t) => {
    const { open } = await streamServer(t)
    const { client, stream } = await open()
    stream.start({ replay: [frame('1')] })
    await client.until('data: 1')
    stream.offer(frame('2'))
    stream.end(frame('bye'))
    const text = await client.until('0\r\n\r\n')
    assert.match(text, /data: 2\n\ndata: bye\n\n\r\n0\r\n\r\n$/)
  })

  it('answers HTTP/1.0 and `Connection: close` without chunks', async (t) => {
    const { open } = await streamServer(t)
    const { stream, client } = await open('1.0')
    stream.start({ replay: [frame('one')] })
    stream.offer(frame('two'))
    await client.until('two')

    stream.end()
    await once(client.socket, 'close')

    assert.match(client.received(), /\r\n\r\ndata: one\n\ndata: two\n\n$/)
  })

  it('keeps order behind an earlier response that is still under way on the same connection', async (t) => {
    const { open, pump } = await streamServer(t)
    const { stream, client } = await open()
    stream.start({ replay: [frame('first')] })
    client.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    while (pump.size < 2) await pause(5)

    stream.end(frame('end of first'))
    const text = await client.until('end of first')

    assert.match(text, /end of first\n\n\r\n0\r\n\r\n/)
  })

  it('beats every 15 s, asks the check each time, and ends when the check refuses', async (t) => {
    const clock = manualAfter()
    let checks = 0
    const check = async (): Promise<void> => {
      checks += 1
      if (checks === 3) throw new Error('revoked')
    }
    const { open, closed } = await streamServer(t, () => ({ after: clock.after, check }))
    const { stream, client } = await open()
    stream.start()
    await nextTurn()

    for (let beat = 0; beat < 3; beat++) {
      clock.fire(15_000)
      await nextTurn()
      await nextTurn()
    }
    const text = await client.until('0\r\n\r\n')

    assert.equal(text.match(/: hb\n\n/g)?.length, 2)
    assert.deepEqual([checks, closed, stream.isClosed()], [3, [0], true])
  })

  it('closes once when the client goes away, and frees timers and its place', async (t) => {
    const clock = manualAfter()
    const { open, closed, pump } = await streamServer(t, () => ({ after: clock.after }))
    const { stream, client } = await open()
    stream.start()

    client.socket.destroy()
    while (closed.length === 0) await pause(5)
    stream.end()
    stream.destroy()

    assert.deepEqual([closed, pump.size, clock.waiting.size], [[0], 0, 0])
  })

  it('closes once for a client that disconnected before the stream opened, after the caller has the stream', async (t) => {
    const pump = createPump()
    const server = createServer()
    const { port } = await listening(t, server)
    const client = openRaw(t, { port, address: '' }, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    const [, outgoing] = (await once(server, 'request')) as [IncomingMessage, ServerResponse]
    client.socket.destroy()
    await once(outgoing, 'close')
    const closed: boolean[] = []

    const stream: EventStream = openEventStream(outgoing, {
      pump,
      onClose: () => closed.push(stream.isClosed()),
    })
    stream.start({ retryMs: 1 })
    stream.offer(frame('unseen'))
    await nextTurn()

    assert.deepEqual([closed, pump.size], [[true], 0])
  })

  it('drops frames offered after an unfinished history when it ends: no gap before the final message', async (t) => {
    const { open } = await streamServer(t)
    const { stream, client } = await open()
    async function* endless(): AsyncGenerator<Buffer> {
      await pause(10_000, undefined, { ref: false })
      yield frame('never')
    }
    stream.start({ replay: endless() })
    stream.offer(frame('behind'))

    stream.end(frame('bye'))
    const text = await client.until('0\r\n\r\n')

    assert.equal(text.includes('behind'), false)
    assert.ok(text.includes('bye'))
  })

  it('disconnects a reader whose history cannot be read, and reports the error to its owner', async (t) => {
    const errors: unknown[] = []
    const { open, closed } = await streamServer(t, () => ({ onError: (thrown) => errors.push(thrown) }))
    const { stream, client } = await open()
    function* broken(): Generator<Buffer> {
      yield frame('one')
      throw new Error('disk')
    }

    stream.start({ replay: broken() })
    await once(client.socket, 'close')

    assert.equal(errors.length, 1)
    assert.deepEqual(closed, [0])
  })

  it('replays no faster than the reader reads', async (t) => {
    const { open } = await streamServer(t)
    const { stream, client } = await open()
    client.socket.pause()
    let produced = 0
    function* history(): Generator<Buffer> {
      for (; produced < 20_000; produced++) yield Buffer.alloc(1024, 'x')
    }

    stream.start({ replay: history() })
    await pause(50)
    const whileStopped = produced
    client.socket.resume()
    while (produced < 20_000) await pause(10)

    assert.ok(whileStopped < 19_000, `${whileStopped} frames produced for a stopped reader`)
  })

  it('lets an unstarted response go for an ordinary answer', async (t) => {
    const { open, pump, closed } = await streamServer(t)
    const { stream } = await open()

    stream.abandon()
    stream.start()

    assert.deepEqual([pump.size, closed], [0, [0]])
  })

  it('spends less than 20 MB on a reader that never reads, while others get every frame', async (t) => {
    const { open } = await streamServer(t, () => ({ onLag: () => frame('lagged') }))
    const stopped = await open()
    stopped.client.socket.pause()
    const reading = await open()
    let bytes = 0
    reading.client.socket.removeAllListeners('data')
    reading.client.socket.on('data', (chunk) => {
      bytes += chunk.length
    })
    stopped.stream.start()
    reading.stream.start()
    const before = await liveBytes()

    const shared = Buffer.from(`data: ${'x'.repeat(1492)}\n\n`)
    const total = 60_000
    for (let sent = 0; sent < total; sent++) {
      stopped.stream.offer(shared)
      reading.stream.offer(shared)
      if (sent % 32 === 31) await nextTurn()
      while (reading.stream.isBlocked()) await nextTurn()
    }
    while (bytes < total * shared.length) await pause(10)
    const grown = ((await liveBytes()) - before) / 1024 / 1024
    stopped.client.socket.resume()
    await stopped.client.until('data: lagged')

    assert.ok(grown < 20, `grew by ${grown.toFixed(1)} MB`)
    assert.equal(stopped.client.received().match(/data: lagged/g)?.length, 1)
  })
})
