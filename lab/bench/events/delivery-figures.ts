import { setTimeout as pause } from 'node:timers/promises'
import { percentile } from '../../percentile.ts'
import { monotonicMs, startEventReaders } from '../../room/event-readers.ts'
import { newestEvent, openServedRoom, readingPlaces, type ServedRoomOptions } from '../../room/served-room.ts'
import { type Figure, limitFigure } from '../figure.ts'

const READERS = 100 // design workspace-engine 7
const LIMIT_MS = 25 // design workspace-engine 7
const COMMITS = 400
const WARM_UP = 40
const PAUSE_MS = 20 // one at a time: the promise is made for a machine that does nothing else
const DOCUMENT_BYTES = 4 * 1024

/**
 * How long after a commit was asked for each reader has its event. The time runs from the start of the call, so the
 * commit itself, with all its flushes, is in it; the server, the caller and the readers are three processes.
 */
export async function deliveryFigures(
  options: Omit<ServedRoomOptions, 'maxStreams'>,
): Promise<readonly Figure[]> {
  const { toReader, toAnswer } = await measureDelivery(options)
  const answered = `the caller has its answer after ${percentile(toAnswer, 0.5).toFixed(1)} and ${percentile(toAnswer, 0.99).toFixed(1)} ms`
  const figure = (share: number, name: string, note: string): Figure =>
    limitFigure({
      name: `events.delivery.${name}`,
      what: `from the call of a commit to its event at each of ${READERS} readers, ${name}${note}`,
      unit: 'ms',
      ours: percentile(toReader, share),
      limit: LIMIT_MS,
    })
  return [figure(0.5, 'p50', ''), figure(0.99, 'p99', ` (${answered}, p50 and p99)`)]
}

interface Delivery {
  /** Milliseconds, one for each commit and reader. */
  readonly toReader: readonly number[]
  /** Milliseconds, one for each commit. */
  readonly toAnswer: readonly number[]
}

async function measureDelivery(options: Omit<ServedRoomOptions, 'maxStreams'>): Promise<Delivery> {
  const room = await openServedRoom({ ...options, maxStreams: READERS })
  const readers = startEventReaders()
  try {
    const { token } = await room.join('author', ['admin'])
    await readers.open(await readingPlaces(room, READERS), { timed: true })
    const first = await newestEvent(room, token)
    const started = new Map<number, number>()
    const toAnswer: number[] = []
    for (let version = 1; version <= COMMITS; version += 1) {
      const body = { base_version: version, summary: `commit ${version}`, content: text(version) }
      const at = monotonicMs()
      await room.ask('POST', '/workspace/commit', token, body)
      toAnswer.push(monotonicMs() - at)
      started.set(version + 1, at)
      await pause(PAUSE_MS)
    }
    await readers.until(first + COMMITS)
    const receipts = await readers.receipts()
    const warm = [...started].slice(WARM_UP)
    const toReader = warm.flatMap(([version, at]) => (receipts.get(version) ?? []).map((got) => got - at))
    const owed = warm.length * READERS
    if (toReader.length !== owed) throw new Error(`${toReader.length} of ${owed} events arrived`)
    return { toReader, toAnswer: toAnswer.slice(WARM_UP) }
  } finally {
    await readers.close()
    await room.close()
  }
}

function text(version: number): string {
  return `# Version ${version}\n`.padEnd(DOCUMENT_BYTES, 'text ')
}
