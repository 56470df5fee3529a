import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import type { Joined } from '../../../plugins/workspace/room/members.ts'
import { percentile } from '../../percentile.ts'
import {
  type DocumentPlace,
  type DocumentReaders,
  startDocumentReaders,
} from '../../room/document-readers.ts'
import { type OwnerPage, openServedRoom, type ServedRoom } from '../../room/served-room.ts'
import { type Figure, limitFigure } from '../figure.ts'

const READERS = 10
const READER_PAUSE_MS = 20
/** The most that ten readers may add to the 99th percentile of other calls: as from commit to reader. */
const LIMIT_MS = 25
const CALLS_A_TURN = 32
const TURNS = 5
const CALL_PAUSE_MS = 2

/** Documents that are expensive to show, different in every version. */
const DOCUMENTS: Readonly<Record<string, (version: number) => string>> = {
  prose: (version) =>
    `# Version ${version}\n\n${'Some words that make a paragraph of text.\n\n'.repeat(24_900)}`,
  links: (version) => `# Version ${version}\n\n${'[a]('.repeat(50_000)}\n`,
  outline: (version) =>
    `# Version ${version}\n${Array.from({ length: 45_000 }, (_, at) => `## Heading ${at}\n`).join('')}`,
  lists: (version) => `# Version ${version}\n\n${'- - - - - - - - a\n'.repeat(57_000)}`,
  quotes: (version) => `# Version ${version}\n\n${'>'.repeat(60_000)}\n`,
}

interface ReaderOptions {
  readonly program: readonly string[]
  readonly directory: string | undefined
  note(line: string): void
}

/** What ten readers of an expensive document cost the other calls of its room, for each document. */
export async function readerFigures(options: ReaderOptions): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const [name, document] of Object.entries(DOCUMENTS)) {
    options.note(`calls beside ${READERS} readers of ${name}`)
    figures.push(...(await figuresFor(options, name, document)))
  }
  return figures
}

async function figuresFor(
  options: ReaderOptions,
  name: string,
  document: (version: number) => string,
): Promise<readonly Figure[]> {
  const room = await openServedRoom({ ...options, maxStreams: 16 })
  const readers = startDocumentReaders()
  try {
    const { alone, beside, answers } = await measured(room, readers, document)
    const told = `calls by ${READERS} readers of ${name}, who got ${answers} answers`
    const wall = added(alone, beside, (call) => call.wallMs)
    const figures = [figure(`readers.${name}`, `waited longer at the 99th percentile, of ${told}`, wall)]
    if (beside.some(({ threadMs }) => threadMs === undefined)) return figures
    const thread = added(alone, beside, (call) => call.threadMs ?? 0)
    const what = `the same, in CPU of the thread that answers, of ${told}`
    return [...figures, figure(`readers.${name}.thread`, what, thread)]
  } finally {
    await readers.close()
    await room.close()
  }
}

interface Added {
  readonly ms: number
  readonly told: string
}

/** Pooled over the turns, which alternate: what disturbs the machine disturbs both. */
function added(alone: readonly Call[], beside: readonly Call[], value: (call: Call) => number): Added {
  const at = (calls: readonly Call[], share: number): number => percentile(calls.map(value), share)
  const [p99, floor] = [at(beside, 0.99), at(alone, 0.99)]
  const medians = [at(beside, 0.5), at(alone, 0.5)].map((ms) => ms.toFixed(1)).join(' against ')
  const told = `${p99.toFixed(1)} against ${floor.toFixed(1)} ms, median ${medians} ms, ${beside.length} calls`
  return { ms: Math.max(0, p99 - floor), told }
}

function figure(name: string, what: string, { ms, told }: Added): Figure {
  return limitFigure({ name, what: `${what} (${told})`, unit: 'ms', ours: ms, limit: LIMIT_MS })
}

/** One call. */
interface Call {
  readonly wallMs: number
  /**
   * CPU that the server's main thread took between question and answer, for any of its work: the wait without what other
   * programs take from the machine. Absent where the system does not tell.
   */
  readonly threadMs: number | undefined
}

interface Measured {
  readonly alone: readonly Call[]
  readonly beside: readonly Call[]
  readonly answers: number
}

/** In turns, so that both meet the same machine. Each turn begins with a new version, which nothing has read yet. */
async function measured(
  room: ServedRoom,
  readers: DocumentReaders,
  document: (version: number) => string,
): Promise<Measured> {
  const page = await room.claim()
  const took = { alone: [] as Call[], beside: [] as Call[] }
  let answers = 0
  for (let turn = 0; turn < 2 * TURNS; turn += 1) {
    // A session may make 600 calls in a minute, so each turn and each place has its own.
    const joined = await Promise.all(PATHS.map((path) => room.join(`${path}-${turn}`, ['admin'])))
    const caller = await room.join(`caller-${turn}`, ['admin'])
    const places = placesOf(room, page, joined)
    await writeFile(room.file, document(turn + 2))
    await room.ask('GET', '/workspace/read?max_tokens=1', caller.token) // takes the text in as a version
    const isBeside = turn % 2 === 1
    if (isBeside) await readers.start({ places, readers: READERS, pauseMs: READER_PAUSE_MS })
    for (let call = 0; call < CALLS_A_TURN; call += 1) {
      took[isBeside ? 'beside' : 'alone'].push(...(await callsOf(room, caller.token)))
    }
    if (isBeside) {
      const stopped = await readers.stop()
      if (stopped.failures.length > 0) throw new Error(`readers failed: ${stopped.failures.join(', ')}`)
      answers += stopped.answers
    }
    for (const { token } of [...joined, caller]) await room.ask('POST', '/workspace/leave', token, {})
  }
  return { ...took, answers }
}

/** What agents ask for when a document changed. */
const PATHS = ['room', 'outline', 'read', 'diff?from_version=1']

/** The same, and what the page asks for. */
function placesOf(
  room: ServedRoom,
  { origin, cookie }: OwnerPage,
  joined: readonly Joined[],
): readonly DocumentPlace[] {
  return [
    { url: `${origin}/owner/document`, headers: { cookie } },
    ...PATHS.map((path, at) => ({
      url: `${room.ingress}/workspace/${path}`,
      headers: { authorization: `Bearer ${joined[at]?.token}` },
    })),
  ]
}

/** A look and two small changes. */
async function callsOf(room: ServedRoom, token: string): Promise<readonly Call[]> {
  const took: Call[] = []
  const timed = async (method: 'GET' | 'POST', path: string, body?: object) => {
    await new Promise((resolve) => setTimeout(resolve, CALL_PAUSE_MS))
    const [before, began] = [threadMsOf(room.pid), performance.now()]
    const answer = await room.ask(method, path, token, body)
    const [wallMs, after] = [performance.now() - began, threadMsOf(room.pid)]
    const threadMs = before === undefined || after === undefined ? undefined : after - before
    took.push({ wallMs, threadMs })
    return answer
  }
  await timed('GET', '/workspace/status')
  const { lease_id } = await timed('POST', '/workspace/checkout', { target: 'workspace' })
  await timed('POST', '/workspace/release', { lease_id })
  return took
}

/** Milliseconds of CPU that the main thread of a process has had, where the system counts them (Linux). */
function threadMsOf(pid: number): number | undefined {
  try {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
    return Number(nanoseconds) / 1e6
  } catch {
    return undefined
  }
}
