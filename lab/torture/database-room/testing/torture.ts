import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { sha256Of } from '../../../../plugins/workspace/engine/bodies.ts'
import { openDatabaseRoom } from '../../../../plugins/workspace/engine/open-database-room.ts'
import { roomPlace } from '../../../../plugins/workspace/engine/open-room.ts'
import type { Store } from '../../../../plugins/workspace/engine/store.ts'
import {
  changesByEvent,
  lostTexts,
  modelContentWith,
  rowFaults,
  silentLog,
} from '../../../../plugins/workspace/testing/model.ts'
import type { Database } from '../../../../server/plugin.ts'
import { bundled } from '../../../../test/fixtures/bundled.ts'
import type { RoomVictim } from './victim.ts'

const MAIN = await bundled(join(import.meta.dirname, 'victim.ts'))
const wasm = createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm')

/** What the processes of a room said. */
export interface RoomStory {
  /** Changes that a caller was told, and those that readers saw, by their event. */
  readonly acknowledged: Map<number, string>
  readonly published: Map<number, string>
  /** `<event> <change>` of every change that ran. */
  readonly issued: Set<string>
  /** Who wrote the text with this hash. */
  readonly texts: Map<string, string>
  ownerships: number
  /** The process that said last that it owns the room. */
  owner: RoomWorker | undefined
  readonly findings: string[]
}

export function emptyRoomStory(startText: string): RoomStory {
  return {
    acknowledged: new Map(),
    published: new Map(),
    issued: new Set(),
    texts: new Map([[sha256Of(startText), 'editor']]),
    ownerships: 0,
    owner: undefined,
    findings: [],
  }
}

/** A process that works in the room whenever it owns it. */
export interface RoomWorker {
  start(): Promise<void>
  kill(): Promise<void>
  pause(): { resume(): void }
}

/** Not started yet; killed after the test. */
export function newRoomWorker(t: TestContext, story: RoomStory, victim: RoomVictim): RoomWorker {
  let child: ChildProcess | undefined
  let starts = 0
  const kill = async (): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'close')
    child.kill('SIGKILL')
    await ended
  }
  t.after(kill)
  const worker: RoomWorker = {
    async start() {
      const own = { ...victim, seed: victim.seed * 1_000 + starts++ }
      const args = [MAIN, JSON.stringify(own)]
      const started = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
      child = started
      const note = listener(story, worker)
      const lines = createInterface({ input: started.stdout })
      lines.on('line', note)
      await once(lines, 'line')
    },
    kill,
    pause() {
      const stopped = child
      stopped?.kill('SIGSTOP')
      return { resume: () => void stopped?.kill('SIGCONT') }
    },
  }
  return worker
}

/** Notes the lines of one process, and what is wrong with them already. */
function listener(story: RoomStory, worker: RoomWorker): (line: string) => void {
  let last: number | undefined
  const told = (map: Map<number, string>, event: number, change: string): void => {
    const before = map.get(event)
    if (before !== undefined && before !== change) {
      story.findings.push(`event ${event} was told as ${before} and as ${change}`)
    }
    map.set(event, change)
  }
  const published = (event: number, change: string): void => {
    if (last !== undefined && event !== last + 1) story.findings.push(`event ${event} followed event ${last}`)
    last = event
    told(story.published, event, change)
  }
  return (line) => {
    const [what = '', first = '', ...more] = line.split(' ')
    const [event, rest] = [Number(first), more.join(' ')]
    if (what === 'I') story.issued.add(`${first} ${rest}`)
    else if (what === 'A') told(story.acknowledged, event, rest)
    else if (what === 'E') published(event, rest)
    else if (what === 'T') story.texts.set(rest, first)
    else if (what === 'X') story.findings.push(`a worker failed: ${line}`)
    else if (what === 'L') last = undefined
    else if (what === 'O') {
      story.ownerships += 1
      story.owner = worker
    }
  }
}

export interface RoomPlaceInDatabase {
  readonly database: Database
  readonly name: string
  /** The files of its machines. */
  readonly files: readonly string[]
}

/** Everything that is wrong with a room whose processes have ended. */
export async function roomFindings(story: RoomStory, place: RoomPlaceInDatabase): Promise<readonly string[]> {
  const findings: string[] = []
  for (const file of place.files) {
    const before = readFileSync(file, 'utf8')
    const content = modelContentWith((tx, { version, hash }) => {
      story.issued.add(`${tx.latestEventId} version ${version} ${hash.slice(0, 16)}`)
    })
    const { database, name } = place
    try {
      const attempt = await openDatabaseRoom({
        ...{ place: roomPlace(file, {}), content, log: silentLog, rank: 'stdio', wasm, database, name },
        runtimeDir: undefined,
      })
      if (attempt.kind !== 'owner') {
        findings.push(`no process lives, yet the room is ${attempt.kind}`)
        continue
      }
      const texts = { before, now: readFileSync(file, 'utf8') }
      findings.push(...(await storeFindings(story, attempt.room.store, texts)))
      await attempt.room.close()
    } catch (thrown) {
      findings.push(`the room cannot be recovered: ${thrown}`)
    }
  }
  return findings
}

async function storeFindings(
  story: RoomStory,
  store: Store,
  texts: { readonly before: string; readonly now: string },
): Promise<readonly string[]> {
  return store.read((rows) => {
    const changes = changesByEvent(rows)
    const missing = [story.acknowledged, story.published].flatMap((told) =>
      [...told].filter(([event, change]) => changes.get(event) !== change),
    )
    const phantoms = [...changes].filter(([event, change]) => !story.issued.has(`${event} ${change}`))
    const versions = rows.all('versions').map(({ hash, source }) => [String(hash), String(source)] as const)
    const foreign = versions.filter(
      ([hash, source]) =>
        !story.texts.has(hash) || (source === 'external' && story.texts.get(hash) !== 'editor'),
    )
    return [
      ...rowFaults(rows),
      ...lostTexts(rows),
      ...missing.map(
        ([event, change]) => `event ${event} was told as ${change} and is ${changes.get(event)}`,
      ),
      ...phantoms.map(([event, change]) => `event ${event} (${change}) was never issued`),
      ...foreign.map(([hash, source]) => `a version with source ${source} has the text ${hash.slice(0, 16)}`),
      ...(versions.some(([hash]) => hash === sha256Of(texts.before))
        ? []
        : ['the text in a file is in no version']),
      ...(sha256Of(texts.now) === rows.document.hash ? [] : ['a file is not the newest version']),
    ]
  })
}
