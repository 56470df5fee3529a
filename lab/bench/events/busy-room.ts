import { type EventReaders, startEventReaders } from '../../room/event-readers.ts'
import {
  newestEvent,
  openServedRoom,
  readingPlaces,
  type ServedRoom,
  type ServedRoomOptions,
} from '../../room/served-room.ts'

const PROPOSERS = 7
/** A commit, and for each proposer a proposal that it overtakes. */
const EVENTS_A_CYCLE = 1 + 2 * PROPOSERS
/** 240 characters of four bytes each: an event of 1.3 KB, so that 4,000 are more than a kernel keeps for one reader. */
const SUMMARY = '\u{1d306}'.repeat(240)
/** Events that may be under way: a publisher whose disk is the slower part is never further ahead. */
const IN_FLIGHT = 16 * EVENTS_A_CYCLE

export interface BusyRoomOptions extends Omit<ServedRoomOptions, 'maxStreams'> {
  readonly readers: number
  /** How many of the readers stop reading immediately. */
  readonly stalled: number
}

/** A served room in which agents propose and one commits, and its readers. The caller closes it. */
export interface BusyRoom {
  readonly readers: EventReaders
  /** Readers that were let in. */
  readonly readerCount: number
  /** Events since the readers came. */
  events(): number
  /** Id of the newest one. */
  newest(): number
  /** All propose, then one commits and overtakes them: milliseconds of the commit, from the call to its answer. */
  cycle(): Promise<number>
  close(): Promise<void>
}

/** Opens it, and lets the readers in. */
export async function openBusyRoom(options: BusyRoomOptions): Promise<BusyRoom> {
  const room = await openServedRoom({ ...options, maxStreams: options.readers })
  const readers = startEventReaders()
  const close = async (): Promise<void> => {
    await readers.close()
    await room.close()
  }
  try {
    const author = await room.join('author', ['admin'])
    const proposers = await proposersOf(room)
    const places = await readingPlaces(room, options.readers)
    const readerCount = await readers.open(places, { stalled: options.stalled })
    const first = await newestEvent(room, author.token)
    let cycles = 0
    const newest = (): number => first + cycles * EVENTS_A_CYCLE
    return {
      readers,
      readerCount,
      newest,
      events: () => newest() - first,
      async cycle() {
        cycles += 1
        const change = { base_version: cycles, summary: SUMMARY, content: `# Version ${cycles}\n` }
        await Promise.all(proposers.map((token) => room.ask('POST', '/workspace/propose', token, change)))
        const started = performance.now()
        await room.ask('POST', '/workspace/commit', author.token, change)
        const took = performance.now() - started
        await readers.until(newest() - IN_FLIGHT)
        return took
      },
      close,
    }
  } catch (thrown) {
    await close()
    throw thrown
  }
}

async function proposersOf(room: ServedRoom): Promise<readonly string[]> {
  const tokens: string[] = []
  for (let at = 0; at < PROPOSERS; at += 1) {
    tokens.push((await room.join(`proposer ${at}`, ['propose'])).token)
  }
  return tokens
}
