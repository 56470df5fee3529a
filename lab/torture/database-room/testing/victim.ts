import { createRequire } from 'node:module'
import { setTimeout as wait } from 'node:timers/promises'
import { MIGRATIONS } from '../../../../plugins/workspace/engine/database-rows.ts'
import { openDatabaseRoom } from '../../../../plugins/workspace/engine/open-database-room.ts'
import { type Room, roomPlace } from '../../../../plugins/workspace/engine/open-room.ts'
import { modelContentWith, silentLog, versionName } from '../../../../plugins/workspace/testing/model.ts'
import { isSatchelError } from '../../../../server/plugin.ts'
import { createDatabase } from '../../../../server/storage/database.ts'
import { createChance } from '../../chance.ts'
import { say, VICTIM_LIMITS, workIn } from '../../room/victim.ts'
import { ENDLESS_MS, plantIn } from './bugs.ts'

/** A process that works in a room of the database whenever it owns it, and says on stdout what it does. */
export interface RoomVictim {
  readonly url: string
  readonly room: string
  readonly file: string
  readonly seed: number
  readonly leaseMs: number
  /** A mistake to build in. */
  readonly bug?: string | undefined
}

const CLIENTS = 3
const CONTEND_MS = 150
/** The rest of the processes and the server need the processor too. */
const REST_MS = 25
const wasm = createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm')
const content = modelContentWith((tx, { version, hash }) => {
  const named = `${tx.latestEventId} ${versionName(version, hash)}`
  say(`I ${named}`)
  tx.onDurable(() => say(`E ${named}`))
})

async function work(victim: RoomVictim): Promise<never> {
  const { url, room: name, file, seed, leaseMs, bug } = victim
  const schema = () => [{ owner: 'workspace', migrations: MIGRATIONS }]
  const database = plantIn(createDatabase({ url, log: silentLog, now: () => new Date(), schema }), bug)
  const options = {
    ...{
      place: roomPlace(file, {}),
      content,
      log: silentLog,
      rank: 'stdio' as const,
      wasm,
      seams: { limits: VICTIM_LIMITS },
    },
    ...{ database, name, runtimeDir: undefined },
    leaseMs: bug === 'the fence is not checked' ? ENDLESS_MS : leaseMs,
  }
  say('R') // it runs
  for (let turn = 0; ; turn += 1) {
    const attempt = await openDatabaseRoom(options).catch(told)
    if (attempt?.kind === 'owner') await own(attempt.room, seed * 1_000 + turn)
    else await wait(CONTEND_MS)
  }
}

/** Until the room is lost. */
async function own(room: Room, seed: number): Promise<void> {
  say(`O ${room.lock.record.n}`)
  const clients = Array.from({ length: CLIENTS }, (_, client) =>
    workIn(room, createChance(seed * 31 + client), () => wait(REST_MS)),
  )
  await Promise.all(clients.map((client) => client.catch(told)))
  await room.close()
  say('L')
}

/** A refusal that says that the database or the ownership was lost is not a fault. */
function told(thrown: unknown): undefined {
  const isLoss = isSatchelError(thrown) && /^(storage_|store_poisoned|store_unavailable)/.test(thrown.reason)
  if (!isLoss) say(`X ${thrown instanceof Error ? thrown.stack?.replaceAll('\n', ' ') : thrown}`)
}

await work(JSON.parse(process.argv[2] ?? '{}') as RoomVictim) // written by the test that starts it
