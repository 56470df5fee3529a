import { writeFile } from 'node:fs/promises'
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
const CALLS_A_TURN = 40
const TURNS = 4
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
    figures.push(await figureFor(options, name, document))
  }
  return figures
}

async function figureFor(
  options: ReaderOptions,
  name: string,
  document: (version: number) => string,
): Promise<Figure> {
  const room = await openServedRoom({ ...options, maxStreams: 16 })
  const readers = startDocumentReaders()
  try {
    const { alone, beside, answers } = await measured(room, readers, document)
    const [p99, floor] = [percentile(beside, 0.99), percentile(alone, 0.99)]
    return limitFigure({
      name: `readers.${name}`,
      what: `added to the 99th percentile of ${beside.length} calls by ${READERS} readers of ${name}, who got ${answers} answers (${p99.toFixed(1)} against ${floor.toFixed(1)} ms, median ${percentile(beside, 0.5).toFixed(1)} against ${percentile(alone, 0.5).toFixed(1)} ms)`,
      unit: 'ms',
      ours: Math.max(0, p99 - floor),
      limit: LIMIT_MS,
    })
  } finally {
    await readers.close()
    await room.close()
  }
}

interface Measured {
  readonly alone: readonly number[]
  readonly beside: readonly number[]
  readonly answers: number
}

/** In turns, so that both meet the same machine. Each turn begins with a new version, which nothing has read yet. */
async function measured(
  room: ServedRoom,
  readers: DocumentReaders,
  document: (version: number) => string,
): Promise<Measured> {
  const page = await room.claim()
  const took = { alone: [] as number[], beside: [] as number[] }
  let answers = 0
  for (let turn = 0; turn < 2 * TURNS; turn += 1) {
    // A session may make 600 calls in a minute, so each turn has its own.
    const author = await room.join(`author-${turn}`, ['admin'])
    const caller = await room.join(`caller-${turn}`, ['read', 'checkout'])
    const places = placesOf(room, page, author.token)
    await writeFile(room.file, document(turn + 2))
    await room.ask('GET', '/workspace/read?max_tokens=1', author.token) // takes the text in as a version
    const isBeside = turn % 2 === 1
    if (isBeside) await readers.start({ places, readers: READERS, pauseMs: READER_PAUSE_MS })
    for (let call = 0; call < CALLS_A_TURN; call += 1) {
      took[isBeside ? 'beside' : 'alone'].push(...(await callsOf(room, caller.token)))
    }
    if (!isBeside) continue
    const stopped = await readers.stop()
    if (stopped.failures.length > 0) throw new Error(`readers failed: ${stopped.failures.join(', ')}`)
    answers += stopped.answers
  }
  return { ...took, answers }
}

/** What the page and agents ask for when a document changed. */
function placesOf(room: ServedRoom, { origin, cookie }: OwnerPage, token: string): readonly DocumentPlace[] {
  const bearer = { authorization: `Bearer ${token}` }
  const paths = ['room', 'outline', 'read', 'diff?from_version=1']
  return [
    { url: `${origin}/owner/document`, headers: { cookie } },
    ...paths.map((path) => ({ url: `${room.ingress}/workspace/${path}`, headers: bearer })),
  ]
}

/** Milliseconds of a look and of two small changes. */
async function callsOf(room: ServedRoom, token: string): Promise<readonly number[]> {
  const took: number[] = []
  const timed = async (method: 'GET' | 'POST', path: string, body?: object) => {
    await new Promise((resolve) => setTimeout(resolve, CALL_PAUSE_MS))
    const began = performance.now()
    const answer = await room.ask(method, path, token, body)
    took.push(performance.now() - began)
    return answer
  }
  await timed('GET', '/workspace/status')
  const { lease_id } = await timed('POST', '/workspace/checkout', { target: 'workspace' })
  await timed('POST', '/workspace/release', { lease_id })
  return took
}
