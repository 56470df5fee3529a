import { setTimeout as pause } from 'node:timers/promises'
import { startOrderProcess } from '../../order-process.ts'

/**
 * The other side of a measurement, in a process of its own so that its CPU is not counted as the server's. It is
 * text, because it must run alike from the sources and from the bundle. It takes one JSON line per order:
 * `open` connects readers (the first `stalled` stop reading), `resume` lets those read on, `count` says how many
 * readers hold how many bytes and how many were told of a loss, `expect` and `arrived` say when the last reader got so many
 * bytes more, `post` sends requests over keep-alive connections and says how many were answered.
 */
const CLIENT = `
const { connect } = require('node:net')
const { createInterface } = require('node:readline')
const say = (value) => process.stdout.write(JSON.stringify(value) + '\\n')
const got = []
const lagged = []
const stopped = []
let owed = []
let left = 0
let arrivedAt
let tellArrival
function tell() {
  arrivedAt = Number(process.hrtime.bigint()) / 1e6
  if (tellArrival) tellArrival()
}
function reader({ port, path, headers }, at, stalled, opened) {
  got[at] = 0
  lagged[at] = 0
  const socket = connect(port, '127.0.0.1')
  let head = true
  socket.on('error', (error) => { if (head) say({ failed: 'A reader did not connect: ' + error.message }) })
  socket.on('close', () => { if (head) say({ failed: 'The server closed the connection of a reader.' }) })
  socket.on('data', (chunk) => {
    if (head) {
      head = false
      if (stalled) stopped.push(socket.pause())
      opened()
    }
    got[at] += chunk.length
    if (owed[at] > 0 && (owed[at] -= chunk.length) <= 0 && --left === 0) tell()
    if (chunk.includes('event: resync')) lagged[at] += 1
  })
  socket.write('GET ' + path + ' HTTP/1.1\\r\\nHost: localhost:' + port + '\\r\\n' + headers + '\\r\\n')
}
const orders = {
  open({ readers, stalled, ...place }) {
    let opened = 0
    const start = got.length
    const next = (at) => {
      if (at >= start + readers) return
      reader(place, at, at - start < stalled, () => { if (++opened === readers) say({ opened }) })
      if (at % 100 === 99) setTimeout(next, 5, at + 1)
      else next(at + 1)
    }
    next(start)
  },
  count({ bytes }) {
    say({ whole: got.filter((each) => each >= bytes).length, lagged: lagged.filter((each) => each > 0).length })
  },
  expect({ bytes }) {
    owed = got.map(() => bytes)
    left = owed.length
    arrivedAt = undefined
    say({ expected: bytes })
  },
  arrived() {
    tellArrival = () => {
      tellArrival = undefined
      say({ at: arrivedAt })
    }
    if (arrivedAt !== undefined) tellArrival()
  },
  resume() {
    for (const socket of stopped) socket.resume()
    say({ resumed: stopped.length })
  },
  post({ port, path, body, connections, requests }) {
    const text = 'POST ' + path + ' HTTP/1.1\\r\\nHost: localhost:' + port + '\\r\\nContent-Type: application/json\\r\\nContent-Length: ' + body.length + '\\r\\n\\r\\n' + body
    let left = requests
    let answered = 0
    for (let at = 0; at < connections; at++) {
      const socket = connect(port, '127.0.0.1')
      const next = () => {
        if (left-- > 0) socket.write(text)
        else socket.destroy()
      }
      socket.on('connect', next)
      socket.on('error', (error) => say({ failed: 'A request failed: ' + error.message }))
      socket.on('data', () => {
        answered += 1
        if (answered === requests) say({ answered })
        next()
      })
    }
  },
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { order, ...rest } = JSON.parse(line)
  orders[order](rest)
}).on('close', () => process.exit(0))
`

/** Readers that hold at least so many bytes, and those that were told of a loss. */
export interface Count {
  readonly whole: number
  readonly lagged: number
}

/** A process that acts as many clients; its calls fail when a connection does. The caller closes it. */
export interface LoadClient {
  /** `headers`: further ones, each with its end of line. */
  open(order: {
    port: number
    path: string
    readers: number
    stalled?: number
    headers?: string
  }): Promise<void>
  /** Readers that hold at least so many bytes, and those that were told that they lost some. */
  count(bytes: number): Promise<Count>
  /** Prepares for so many more bytes for each reader. */
  expect(bytes: number): Promise<void>
  /** When the last reader had what was expected: milliseconds on the clock that all processes share. */
  arrived(): Promise<number>
  /** Lets the stalled readers read on. */
  resume(): Promise<void>
  post(order: {
    port: number
    path: string
    body: string
    connections: number
    requests: number
  }): Promise<void>
  close(): Promise<void>
}

/** Starts it. */
export function startLoadClient(): LoadClient {
  const { order, close } = startOrderProcess([process.execPath, '-e', CLIENT])
  return {
    open: (how) => order('open', { stalled: 0, headers: '', ...how }),
    count: (bytes) => order('count', { bytes }),
    expect: (bytes) => order('expect', { bytes }),
    arrived: async () => (await order<{ at: number }>('arrived')).at,
    resume: () => order('resume'),
    post: (how) => order('post', how),
    close,
  }
}

/** Asks until `isEnough`; at most 60 s. */
export async function counted(
  client: LoadClient,
  bytes: number,
  isEnough: (count: Count) => boolean,
): Promise<Count> {
  for (const giveUp = performance.now() + 60_000; ; await pause(5)) {
    const count = await client.count(bytes)
    if (isEnough(count) || performance.now() > giveUp) return count
  }
}
