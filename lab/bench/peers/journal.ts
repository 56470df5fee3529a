import { assetPath } from '../../../server/assets.ts'
import type { LabContext } from '../../context.ts'
import { openBenchRoom } from '../room/bench-room.ts'
import { type Compared, compare, type Metric } from './comparison.ts'
import { NODE_22, type PackageCache } from './package-cache.ts'
import { RIVAL_HEAD, startRival } from './rival-program.ts'

const ROUNDS = 5
const CALLS = 1_000 // the round that is not counted compiles the code of both

const METRICS: Readonly<Record<'rate', Metric>> = {
  rate: {
    what: 'durable mutations one at a time: a row, its event, the trim of old events and the counter',
    unit: '/s',
    sense: 'at_least',
  },
}

/** The same four statements in one transaction, each durable before the next. */
const SQLITE = `${RIVAL_HEAD}import { DatabaseSync } from 'node:sqlite'
const database = new DatabaseSync(process.argv[2] + '/journal.db')
database.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL')
database.exec('CREATE TABLE notes(id INTEGER PRIMARY KEY, body TEXT); CREATE TABLE events(id INTEGER PRIMARY KEY, body TEXT)')
database.exec('CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER)')
const note = database.prepare('INSERT INTO notes(body) VALUES (?)')
const event = database.prepare('INSERT INTO events(body) VALUES (?)')
const trim = database.prepare('DELETE FROM events WHERE id <= (SELECT max(id) - 2000 FROM events)')
const meta = database.prepare("INSERT INTO meta VALUES ('revision', 1) ON CONFLICT(name) DO UPDATE SET value = value + 1")
const body = 'a summary of ordinary length, as people and agents write it'.padEnd(200, '.')
const mutate = () => {
  database.exec('BEGIN IMMEDIATE')
  note.run(body)
  event.run(body)
  trim.run()
  meta.run()
  database.exec('COMMIT')
}
await serve({
  mutate({ calls }) {
    const began = performance.now()
    for (let done = 0; done < calls; done++) mutate()
    return { rate: (calls * 1000) / (performance.now() - began) }
  },
})
`

/** The engine of a room against SQLite with the same promise, in the same folder. */
export async function compareJournal(
  cache: PackageCache,
  folder: string,
  { signal, note }: LabContext,
): Promise<Compared> {
  const room = await openBenchRoom(folder, assetPath('sql-wasm.wasm'))
  return await compare({
    name: 'peers.journal',
    rounds: ROUNDS,
    metrics: METRICS,
    ours: {
      async measure() {
        const began = performance.now()
        for (let done = 0; done < CALLS; done += 1) await room.mutate()
        return { rate: (CALLS * 1000) / (performance.now() - began) }
      },
      close: () => room.close(),
    },
    peers: [
      {
        name: 'node-sqlite',
        async open() {
          const program = await cache.program(NODE_22, 'node')
          const rival = await startRival(
            [program, await cache.script(NODE_22, 'journal.mjs', SQLITE), folder],
            folder,
          )
          return {
            async measure() {
              const { rate } = await rival.order<{ rate: number }>('mutate', { calls: CALLS })
              return { rate }
            },
            close: () => rival.close(),
          }
        },
      },
    ],
    signal,
    note,
  })
}
