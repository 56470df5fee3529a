import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Database, Hint, SqlRow, SqlValue } from '../contract/advanced/database.ts'
import type { Log } from '../contract/context.ts'
import { isSatchelError } from '../contract/errors.ts'
import { type DatabaseFacts, factsOf } from './facts.ts'
import { isLost, isRolledBack, refusalOfStatement } from './faults.ts'
import { createHints, type HintEvents, type HintParts } from './hints.ts'
import { createLockLine, type Line } from './lock-line.ts'
import { type Connections, createProbe, type StorageState } from './probe.ts'
import { refusals } from './refusals.ts'
import { checkSchema, type MigratedPart, migrateSchema, type Run, type SchemaPart } from './schema.ts'

/** The connections to a server. */
export interface Wire {
  readonly place: string
  /** Those of the pool now. */
  connections(): Connections
  /**
   * Runs `work` on one connection, which is closed where `work` fails. Errors: refusals for the connection, those of the
   * driver for a statement.
   */
  withClient<T>(work: (run: Run) => Promise<T>): Promise<T>
  /** The next connection may lead to another server. */
  onLost(listener: () => void): void
  /** A connection that the pool does not count. */
  openLine(): Promise<Line>
  /** Another one, which hears hints. */
  openHints(events: HintEvents): Promise<{ close(): Promise<void> }>
  end(): Promise<void>
}

export interface PostgresParts {
  readonly log: Log
  now(): Date
  /** The tables that this process needs; asked at the first connection. */
  schema(): readonly SchemaPart[]
  /** How long a server is asked about a commit whose answer was lost; absent: 15 s. */
  readonly findOutMs?: number
  readonly hintTimes?: HintParts['times']
}

/** The server, with what only the host does: migrate and close. */
export interface Postgres extends Database {
  migrate(): Promise<readonly MigratedPart[]>
  /** Asks the server within `limitMs` whether it answers and takes writes. Errors: those of `ready`. */
  check(limitMs: number): Promise<StorageState>
  /** What a person is told of it. Errors: those of `ready`. */
  facts(): Promise<DatabaseFacts>
  counts(): StorageCounts
  /** From its first use on this process hears hints. */
  listen(): void
  close(): Promise<void>
}

/** What was counted since the start, with the connections now. */
export interface StorageCounts extends Connections {
  readonly lost: number
  readonly writes: number
  /** Writes whose answer was lost, so that the server was asked about them. */
  readonly asked: number
  /** Those of them about which it could not be asked. */
  readonly unknown: number
  /** 1 while hints are heard; without them changes of others are known up to a second later. */
  readonly listening: number
  readonly hints: number
}

/** How long a server is asked about a commit whose answer was lost. */
const FIND_OUT_LIMIT_MS = 15_000
const FIND_OUT_PAUSE_MS = 100
/** A note is needed for the time of the question; after so many writes, old ones are removed. */
const REMOVE_EVERY = 1_000
const KEEP_NOTES = '1 hour'
/** Of a statement that others keep from committing. */
const MOST_TRIES = 8
const RETRY_PAUSE_MS = 20
/** Of the whole database. */
export const HINT_CHANNEL = 'satchel'
const NOTIFY = `pg_notify('${HINT_CHANNEL}', `
/** A clock this far off the server's is worth a line in the log. */
const CLOCK_WARNING_MS = 60_000

/** The server behind these connections. Connects at the first call. */
export function createPostgres(wire: Wire, parts: PostgresParts): Postgres {
  const { place } = wire
  const { findOutMs = FIND_OUT_LIMIT_MS } = parts
  const send: Run = (text, values) => untilCommitted(() => wire.withClient((run) => run(text, values)))
  const counted = { lost: 0, writes: 0, asked: 0, unknown: 0 }
  const { ready, clockOffsetMs } = checkedOnce(wire, send, parts, () => {
    counted.lost += 1
  })
  const locks = createLockLine(wire.openLine)
  const hints = createHints({
    place,
    log: parts.log,
    open: wire.openHints,
    send: ({ topic, about }) => send(`select ${NOTIFY}$1)`, [`${topic} ${about}`]),
    ...(parts.hintTimes && { times: parts.hintTimes }),
  })
  let isListener = false
  const onAsk = (isKnown: boolean): void => {
    counted.asked += 1
    if (!isKnown) counted.unknown += 1
  }
  const used = async (): Promise<void> => {
    await ready()
    if (isListener) hints.listen()
  }
  return {
    place,
    ready: used,
    clockOffsetMs,
    async query(text, values = []) {
      await used()
      return read(send, { text, values, place })
    },
    async write(changes, values, hint) {
      await used()
      const statement = notedWith(changes, values, hint)
      const changed = await writeOnce(send, { ...statement, place, findOutMs, onAsk })
      if (++counted.writes % REMOVE_EVERY === 0) await removeNotes(send)
      return changed
    },
    onHint: hints.on,
    listen() {
      isListener = true
    },
    async locked(name, limitMs, action) {
      await used()
      return locks.locked(name, limitMs, action)
    },
    migrate: () => migrated(wire, parts.schema()),
    check: createProbe({ wire, ready, clockOffsetMs }),
    async facts() {
      await used()
      return await wire
        .withClient((run) => factsOf(run, place))
        .catch((thrown) => {
          throw refusalOfStatement(thrown, place)
        })
    },
    counts: () => ({ ...counted, ...wire.connections(), ...hints.counts() }),
    async close() {
      await hints.close()
      await locks.close()
      await wire.end()
    },
  }
}

/**
 * Each statement is a transaction of its own: one that the server rolled back in favour of others has changed nothing, and
 * is sent again. The pauses differ, so that those which met do not meet again.
 */
async function untilCommitted<T>(send: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await send()
    } catch (thrown) {
      if (!isRolledBack(thrown) || tries === MOST_TRIES) throw thrown
      await pause(randomInt(RETRY_PAUSE_MS * tries))
    }
  }
}

/** The check of the server at the first use, and after every lost connection. */
function checkedOnce(wire: Wire, send: Run, { log, now, schema }: PostgresParts, onLost: () => void) {
  let checking: Promise<void> | undefined
  let offsetMs = 0
  let wasFit = false
  wire.onLost(() => {
    checking = undefined
    onLost()
  })
  const check = async (): Promise<void> => {
    try {
      await checkSchema(send, schema(), wire.place).catch((thrown) => {
        // A newer release keeps what this one reads and writes: servers are replaced one after the other.
        if (!wasFit || !isSatchelError(thrown) || thrown.reason !== 'storage_schema_newer') throw thrown
        log.warn(
          'the tables are of a newer release; this server goes on, and is refused them once it was restarted',
        )
      })
      wasFit = true
      offsetMs = await measuredOffset(send, now)
    } catch (thrown) {
      throw refusalOfStatement(thrown, wire.place)
    }
    if (Math.abs(offsetMs) < CLOCK_WARNING_MS) return
    const seconds = Math.round(offsetMs / 1000)
    log.warn('the clock of this machine is not that of the database, which is used', { seconds })
  }
  const ready = (): Promise<void> => {
    checking ??= check().catch((thrown) => {
      checking = undefined
      throw thrown
    })
    return checking
  }
  return { ready, clockOffsetMs: () => offsetMs }
}

interface Statement {
  readonly text: string
  readonly values: readonly SqlValue[]
  readonly place: string
  readonly findOutMs: number
  /** Runs after the server was asked about a write, or could not be. */
  onAsk(isKnown: boolean): void
}

async function read(
  send: Run,
  { text, values, place }: Pick<Statement, 'text' | 'values' | 'place'>,
): Promise<readonly SqlRow[]> {
  try {
    return await send(text, values).catch((thrown) => {
      if (!isLost(thrown)) throw thrown
      return send(text, values)
    })
  } catch (thrown) {
    throw refusalOfStatement(thrown, place)
  }
}

/** Sends a write, and once more if it is known that the first was not committed. */
async function writeOnce(send: Run, statement: Statement): Promise<number> {
  const first = await tryWrite(send, statement)
  if ('changed' in first) return first.changed
  const second = await tryWrite(send, statement)
  if ('changed' in second) return second.changed
  throw refusals.storage_lost({ place: statement.place }, { cause: second.lost })
}

type Tried = { readonly changed: number } | { readonly lost: unknown }

async function tryWrite(send: Run, statement: Statement): Promise<Tried> {
  const id = randomUUID()
  const { text, values, place } = statement
  try {
    const [row] = await send(text, [id, ...values])
    return { changed: Number(row?.['changed']) }
  } catch (thrown) {
    if (!isLost(thrown)) throw refusalOfStatement(thrown, place)
    const changed = await findOut(send, id, statement)
    return changed === undefined ? { lost: thrown } : { changed }
  }
}

/**
 * One statement is one transaction: the rows change, that they did is noted, and the others are told of it, or nothing of that.
 * PostgreSQL sends what it notifies after the commit.
 */
function notedWith(parts: string, values: readonly SqlValue[], hint: Hint | undefined) {
  const noted = `with ${parts} insert into satchel.writes (id, changed)
    select $1::uuid, (select count(*) from changed) returning changed`
  if (!hint) return { text: noted, values }
  const text = `${noted}, case when changed > 0 then ${NOTIFY}$${values.length + 2}) end as told`
  return { text, values: [...values, `${hint.topic} ${hint.about}`] }
}

/**
 * The number of rows that a write changed whose answer was lost; undefined if it was not committed, and never will be: its
 * note is taken. While its transaction runs, the server lets this one wait. Errors: `storage_unknown`.
 */
async function findOut(
  send: Run,
  id: string,
  { place, findOutMs, onAsk }: Pick<Statement, 'place' | 'findOutMs' | 'onAsk'>,
): Promise<number | undefined> {
  const untilMs = performance.now() + findOutMs
  for (;;) {
    try {
      await send('insert into satchel.writes (id, changed) values ($1, -1) on conflict (id) do nothing', [id])
      const [row] = await send('select changed from satchel.writes where id = $1', [id])
      const changed = Number(row?.['changed'] ?? -1)
      onAsk(true)
      return changed < 0 ? undefined : changed
    } catch (cause) {
      const isGone = isLost(cause) || isSatchelError(cause)
      if (!isGone || performance.now() > untilMs) {
        onAsk(false)
        throw refusals.storage_unknown({ place }, { cause })
      }
      await pause(FIND_OUT_PAUSE_MS)
    }
  }
}

async function removeNotes(send: Run): Promise<void> {
  // Without it the table is larger than it need be, and the next try is not far.
  await send(`delete from satchel.writes where at < now() - interval '${KEEP_NOTES}'`).catch(() => undefined)
}

/** Half of the way there and back is at most what this is wrong by. */
async function measuredOffset(send: Run, now: () => Date): Promise<number> {
  const before = now().getTime()
  const [row] = await send('select extract(epoch from clock_timestamp()) * 1000 as ms')
  return Number(row?.['ms']) - (before + now().getTime()) / 2
}

async function migrated(wire: Wire, schema: readonly SchemaPart[]): Promise<readonly MigratedPart[]> {
  try {
    return await wire.withClient(async (run) => {
      await run('begin') // a failure closes the connection, which rolls back
      const done = await migrateSchema(run, schema, wire.place)
      await run('commit')
      return done
    })
  } catch (thrown) {
    throw refusalOfStatement(thrown, wire.place)
  }
}
