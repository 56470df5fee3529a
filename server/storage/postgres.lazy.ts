import pg, { type Client, type PoolClient, type Settings } from 'pg'
import { refuseUnclearAddress } from './address.ts'
import { isLost, isSilent, refusalOfConnecting, refusalOfStatement } from './faults.ts'
import type { HintEvents } from './hints.ts'
import type { Line } from './lock-line.ts'
import { createPasswordFile, type PasswordFileParts } from './password-file.ts'
import { createPostgres, HINT_CHANNEL, type Postgres, type PostgresParts, type Wire } from './postgres.ts'
import { refusals } from './refusals.ts'
import type { Run } from './schema.ts'

const CONNECTIONS = 10
const CONNECT_LIMIT_MS = 5_000
const STATEMENT_LIMIT_MS = 60_000
const IDLE_MS = 30_000
/** A network that swallows packets says nothing: an idle connection is asked about, and lost after ten silent seconds more. */
const KEEPALIVE_MS = 30_000
/** How long an answer is waited for: longer than the server works on a statement. What it works on then is not known. */
const ANSWER_LIMIT_MS = STATEMENT_LIMIT_MS + 5_000
/** Locks and hints wait for nothing in the server. */
const LINE_LIMIT_MS = 15_000
/**
 * What statements here depend on. The server, the database and the role may have other defaults. It is sent after
 * connecting, because a pooler refuses parameters of the start that it does not know.
 */
const SESSION = [
  "default_transaction_isolation to 'read committed'",
  "datestyle to 'ISO, YMD'",
  "intervalstyle to 'postgres'",
  "timezone to 'UTC'",
  "client_encoding to 'UTF8'",
  "bytea_output to 'hex'",
  'extra_float_digits to 1',
  'standard_conforming_strings to on',
  'row_security to on',
]
  .map((each) => `set ${each}`)
  .join('; ')

/** The server at `url`. Opens no connection yet. Errors: `invalid`/`storage_url`. */
export function openPostgres(parts: PostgresParts & PasswordFileParts & { readonly url: string }): Postgres {
  return createPostgres(openWire(parts.url, ANSWER_LIMIT_MS, parts), parts)
}

/** The driver takes each of them for verify-full, and warns of that in several lines. */
const WEAKER_MODES = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/

function settingsOf(url: string, answerMs: number): Settings {
  refuseUnclearAddress(url)
  return {
    connectionString: url.includes('uselibpqcompat=') ? url : url.replace(WEAKER_MODES, '$1verify-full'),
    application_name: 'satchel',
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    statement_timeout: STATEMENT_LIMIT_MS,
    query_timeout: answerMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_MS,
  }
}

const UNTOLD: PasswordFileParts = { log: { warn() {} } }

/** Connections to the server at `url`, none open yet. `answerMs`: for tests. Errors: `invalid`/`storage_url`. */
export function openWire(url: string, answerMs = ANSWER_LIMIT_MS, parts = UNTOLD): Wire {
  const settings = settingsOf(url, answerMs)
  const Client = clientOf(parts)
  const lineSettings = { ...settings, query_timeout: Math.min(answerMs, LINE_LIMIT_MS) }
  const place = placeOf(settings)
  const pool = new pg.Pool({ ...settings, Client, max: CONNECTIONS, idleTimeoutMillis: IDLE_MS })
  let lost = (): void => {}
  pool.on('error', () => lost()) // an idle connection ended
  // One in use that ends says so to its statement; without a listener it would end the process.
  pool.on('connect', (client) => client.on('error', () => lost()))
  let isKnown = false
  /** The connections that were prepared, by the number of times that one fell silent before. */
  const prepared = new WeakMap<object, number>()
  let silences = 0
  const taken = async (): Promise<PoolClient> => {
    for (;;) {
      const client = await pool.connect()
      isKnown = true
      const from = prepared.get(client)
      if (from === undefined) {
        await prepare(client)
        prepared.set(client, silences)
      }
      if (from === undefined || from === silences) return client
      client.release(true) // as silent as the one that was waited for, as far as is known
    }
  }
  const connect = async () => {
    try {
      return await taken()
    } catch (thrown) {
      const isFull = isKnown && /timeout exceeded when trying to connect/i.test(String(thrown))
      if (isFull) throw refusals.storage_busy({ place, fault: 'no connection is free' }, { cause: thrown })
      throw refusalOfConnecting(thrown, place)
    }
  }
  const withClient = async <T>(work: (run: Run) => Promise<T>): Promise<T> => {
    const client = await connect()
    try {
      const result = await work(async (text, values = []) => (await client.query(text, values)).rows)
      client.release()
      return result
    } catch (thrown) {
      client.release(true)
      if (isSilent(thrown)) silences += 1
      if (isLost(thrown)) lost()
      throw thrown
    }
  }
  return {
    place,
    connections: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
      most: CONNECTIONS,
    }),
    withClient,
    onLost(listener) {
      lost = listener
    },
    openLine: async () => openLine(new Client({ ...lineSettings, application_name: 'satchel locks' }), place),
    openHints: async (events) =>
      openHints(new Client({ ...lineSettings, application_name: 'satchel hints' }), events),
    end: () => pool.end(),
  }
}

/** The driver's own reader of the password file takes the last line that fits, and ends with its version 9. */
function clientOf(parts: PasswordFileParts): typeof pg.Client {
  const passwordOf = createPasswordFile(parts)
  return class extends pg.Client {
    constructor(settings: Settings) {
      super(settings)
      this.password ??= () => passwordOf(this)
    }
  }
}

async function prepare(client: PoolClient): Promise<void> {
  try {
    await client.query(SESSION)
  } catch (thrown) {
    client.release(true)
    throw thrown
  }
}

function placeOf(settings: Settings): string {
  try {
    const { host, port, database } = new pg.Client(settings)
    return `${database ?? ''} at ${host}:${port}`
  } catch (thrown) {
    // No cause: that of an address holds it, and so the password.
    const fault = fileFaultOf(thrown)
    throw fault === undefined ? refusals.storage_url() : refusals.storage_certificate_file({ fault })
  }
}

/** The code of a file that could not be read. */
function fileFaultOf(thrown: unknown): string | undefined {
  const isOfFile = thrown instanceof Error && 'syscall' in thrown && 'code' in thrown
  return isOfFile ? String(thrown.code) : undefined
}

async function openLine(client: Client, place: string): Promise<Line> {
  let isOpen = true
  client.on('error', () => {
    isOpen = false
  })
  client.on('end', () => {
    isOpen = false
  })
  try {
    await client.connect()
    await client.query(SESSION)
  } catch (thrown) {
    void client.end().catch(() => undefined)
    throw refusalOfConnecting(thrown, place)
  }
  let before: Promise<unknown> = Promise.resolve()
  return {
    isOpen: () => isOpen,
    close() {
      isOpen = false
      return client.end()
    },
    run(text) {
      const answer = before.then(async () => [await client.query(text)].flat().at(-1)?.rows ?? [])
      before = answer.catch(() => undefined)
      return answer.catch((thrown) => {
        if (isLost(thrown)) {
          isOpen = false
          void client.end().catch(() => undefined)
        }
        throw refusalOfStatement(thrown, place)
      })
    },
  }
}

async function openHints(client: Client, { told, ended }: HintEvents) {
  client.on('error', ended)
  client.on('end', ended)
  client.on('notification', ({ payload }) => told(payload ?? ''))
  try {
    await client.connect()
    await client.query(`listen ${HINT_CHANNEL}`)
  } catch (thrown) {
    void client.end().catch(() => undefined)
    throw thrown
  }
  return { close: () => client.end() }
}
