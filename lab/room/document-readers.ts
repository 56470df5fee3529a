import { startOrderProcess } from '../order-process.ts'

/**
 * Readers of a room's document, in a process of their own, so that the server shares its loop with none of them. It is
 * text, because it must run alike from the sources and from the bundle. Each reader asks for the places in turn, each
 * starting at another one.
 */
const READERS = `
const { Agent, get } = require('node:http')
const { createInterface } = require('node:readline')
const agent = new Agent({ keepAlive: true })
const tally = { answers: 0, failures: [] }
let reading = false
let open = 0
let quiet = () => {}
function ask(place, pauseMs, next) {
  if (!reading) return
  open += 1
  const again = () => {
    open -= 1
    if (open === 0) quiet()
    setTimeout(next, pauseMs)
  }
  const sent = get(place.url, { agent, headers: place.headers }, (answer) => {
    if (answer.statusCode === 200) tally.answers += 1
    else if (tally.failures.length < 5) tally.failures.push(answer.statusCode + ' ' + place.url)
    answer.resume().on('end', again)
  })
  sent.on('error', (error) => {
    // The server may close an idle connection in the very moment in which it is used again.
    if (reading && !sent.reusedSocket && tally.failures.length < 5) tally.failures.push(String(error))
    again()
  })
}
const orders = {
  start({ places, readers, pauseMs }) {
    reading = true
    for (let reader = 0; reader < readers; reader += 1) {
      let turn = reader
      const next = () => ask(places[turn++ % places.length], pauseMs, next)
      next()
    }
    return {}
  },
  async stop() {
    reading = false
    if (open > 0) await new Promise((done) => { quiet = done })
    const { answers, failures } = tally
    Object.assign(tally, { answers: 0, failures: [] })
    return { answers, failures }
  },
}
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { order, ...rest } = JSON.parse(line)
  process.stdout.write(JSON.stringify(await orders[order](rest)) + '\\n')
}).on('close', () => process.exit(0))
`

/** What a reader asks for. */
export interface DocumentPlace {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** A process that acts as many readers. The caller closes it. */
export interface DocumentReaders {
  /** Each of `readers` has one question open at a time, and waits `pauseMs` after its answer. */
  start(how: {
    readonly places: readonly DocumentPlace[]
    readonly readers: number
    readonly pauseMs: number
  }): Promise<void>
  /** Stops asking and waits for the open questions. Gives the answers since the start, and what failed. */
  stop(): Promise<{ readonly answers: number; readonly failures: readonly string[] }>
  close(): Promise<void>
}

/** Starts it. */
export function startDocumentReaders(): DocumentReaders {
  const { order, close } = startOrderProcess([process.execPath, '-e', READERS])
  return { start: (how) => order('start', how), stop: () => order('stop'), close }
}
