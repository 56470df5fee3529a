import { startOrderProcess } from '../order-process.ts'

/**
 * Readers of a room's events, in a process of their own, so that the server shares its loop with none of them. It is
 * text, because it must run alike from the sources and from the bundle. It takes one JSON line per order and answers
 * with one. Every reader checks that each event has the id after the one before, unless it was told of a loss.
 */
const READERS = `
const { get } = require('node:http')
const { createInterface } = require('node:readline')
const say = (value) => process.stdout.write(JSON.stringify(value) + '\\n')
const now = () => Number(process.hrtime.bigint()) / 1e6
const END = Buffer.from('\\n\\n')
const [E, I, ZERO, BRACE, LINE_END] = Buffer.from('ei0{\\n')
const readers = []
const receipts = new Map()
let awaited
let awaitsAll = false
let behind = 0

function open({ port, path, token }, timed, answered) {
  const reader = { last: 0, events: 0, faults: 0, told: 0, lost: false, open: true, wasStalled: false }
  const headers = { authorization: 'Bearer ' + token }
  get({ host: '127.0.0.1', port, path, headers, agent: false }, (answer) => {
    if (answer.statusCode !== 200) {
      answer.resume()
      return answered(undefined)
    }
    reader.answer = answer
    readers.push(reader)
    answer.on('data', (chunk) => noting(reader, () => take(reader, chunk, timed ? now() : 0)))
    const markClosed = () => noting(reader, () => { reader.open = false })
    answer.on('close', markClosed)
    answer.on('error', markClosed)
    answered(reader)
  }).on('error', () => answered(undefined))
}

const isAwaited = ({ open, wasStalled, last }) =>
  awaited !== undefined && open && last < awaited && (awaitsAll || !wasStalled)
function noting(reader, change) {
  const before = isAwaited(reader)
  change()
  if (before && !isAwaited(reader)) arrived(1)
}
function arrived(count) {
  behind -= count
  if (behind > 0) return
  awaited = undefined
  say({ reached: true })
}

function take(reader, chunk, at) {
  const bytes = reader.rest === undefined ? chunk : Buffer.concat([reader.rest, chunk])
  let from = 0
  for (let end = bytes.indexOf(END); end >= 0; end = bytes.indexOf(END, from)) {
    block(reader, bytes, from, end, at)
    from = end + 2
  }
  reader.rest = from < bytes.length ? bytes.subarray(from) : undefined
}

function block(reader, bytes, from, end, at) {
  if (bytes[from] === E) {
    if (bytes.toString('latin1', from, end).includes('"lagged"')) reader.told += 1
    reader.lost = true
  }
  if (bytes[from] !== I) return
  let id = 0
  for (let place = from + 4; bytes[place] !== LINE_END; place++) id = id * 10 + bytes[place] - ZERO
  if (reader.last > 0 && !reader.lost && id !== reader.last + 1) reader.faults += 1
  reader.lost = false
  reader.last = id
  reader.events += 1
  if (at === 0) return
  const { event_type, version } = JSON.parse(bytes.toString('utf8', bytes.indexOf(BRACE, from), end))
  if (event_type !== 'change.committed') return
  if (!receipts.has(version)) receipts.set(version, [])
  receipts.get(version).push(at)
}

const orders = {
  open({ places, timed, stalled }) {
    let opened = 0
    let answers = 0
    const next = (at) => {
      if (at >= places.length) return
      open(places[at], timed, (reader) => {
        if (reader !== undefined) opened += 1
        if (reader !== undefined && at < stalled) {
          reader.wasStalled = true
          reader.answer.pause()
        }
        if (++answers === places.length) say({ opened })
      })
      if (at % 50 === 49) setTimeout(next, 10, at + 1)
      else next(at + 1)
    }
    next(0)
  },
  until({ id, all }) {
    awaited = id
    awaitsAll = all
    behind = readers.filter(isAwaited).length
    arrived(0)
  },
  resume() {
    for (const { answer, wasStalled } of readers) if (wasStalled) answer.resume()
    say({ resumed: true })
  },
  report() {
    say({
      readers: readers.map(({ last, events, faults, told, open, wasStalled }) => ({
        last, events, faults, told, open, wasStalled,
      })),
    })
  },
  receipts() {
    say({ receipts: [...receipts] })
  },
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { order, ...rest } = JSON.parse(line)
  orders[order](rest)
}).on('close', () => process.exit(0))
`

/** Where one reader reads: the path has its cursor. */
export interface ReadingPlace {
  readonly port: number
  readonly path: string
  readonly token: string
}

/** How one reader fared. */
export interface ReaderReport {
  /** Id of its newest event; 0 before the first. */
  readonly last: number
  readonly events: number
  /** Events that were not the next one, with no word of a loss before them. */
  readonly faults: number
  /** How often it was told that it fell behind. */
  readonly told: number
  /** False: its stream ended. */
  readonly open: boolean
  /** It stopped reading for a while. */
  readonly wasStalled: boolean
}

/** A process that acts as many readers. The caller closes it. */
export interface EventReaders {
  /** Connects a reader to each place, the first `stalled` of which stop reading immediately. Gives how many were admitted. */
  open(
    places: readonly ReadingPlace[],
    how?: { readonly timed?: boolean; readonly stalled?: number },
  ): Promise<number>
  /** Resolves when every reader has this event that never stopped reading. Errors: an abort when that takes a minute. */
  until(id: number): Promise<void>
  /** The same of every reader whose stream is open. */
  untilAll(id: number): Promise<void>
  /** Lets the stalled ones read on. */
  resume(): Promise<void>
  report(): Promise<readonly ReaderReport[]>
  /** By version of the document, when each timed reader received its commit, on the clock of `monotonicMs`. */
  receipts(): Promise<ReadonlyMap<number, readonly number[]>>
  close(): Promise<void>
}

/** Milliseconds on the clock that all processes of this machine share (libuv's: CLOCK_MONOTONIC, mach_absolute_time). */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

const ANSWER_LIMIT_MS = 60_000

/** Starts it. */
export function startEventReaders(): EventReaders {
  const { order, close } = startOrderProcess([process.execPath, '-e', READERS], {
    limitMs: ANSWER_LIMIT_MS,
  })
  return {
    open: async (places, { timed = false, stalled = 0 } = {}) =>
      (await order<{ opened: number }>('open', { places, timed, stalled })).opened,
    until: (id) => order('until', { id, all: false }),
    untilAll: (id) => order('until', { id, all: true }),
    resume: () => order('resume'),
    report: async () => (await order<{ readers: readonly ReaderReport[] }>('report')).readers,
    receipts: async () => new Map((await order<{ receipts: [number, number[]][] }>('receipts')).receipts),
    close,
  }
}
