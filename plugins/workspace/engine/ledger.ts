import { createHash } from 'node:crypto'
import { SatchelError } from '../../../server/plugin.ts'
import type { Cell, Params, Row, Schema, Statements } from '../domain/rows.ts'
import type { JournalRecord, Step } from './journal-record.ts'
import type { Sql, SqlConnection, SqlStatement } from './sql.ts'
import { isRead, lintSql } from './sql-lint.ts'

/** The engine's own row, written with every record. */
export interface Meta {
  readonly seq: number
  readonly nextEventId: number
  /** 0 before the bootstrap. */
  readonly version: number
  readonly hash: string
  readonly bytes: number
  readonly previousHash: string
  /** Whether the newest version is known to stand in the markdown file. */
  readonly materialized: boolean
}

/** All rows of the room in memory. It never touches the disk; the store feeds it and journals what it did. */
export interface Ledger {
  readonly meta: Meta
  /** Changes what the next record will say; not itself a change of rows. */
  note(change: Partial<Meta>): void
  all(statement: string, params?: Params): Row[]
  begin(): void
  run(statement: string, params?: Params): void
  /** The steps run since `begin`. */
  steps(): number
  /** Takes the next `seq`, writes the meta row and gives the record to journal; `commit` or `rollback` must follow. */
  seal(change: Partial<Meta>, durable: number): JournalRecord
  commit(): void
  /** Back to the state at `begin`. */
  rollback(): void
  /** Applies records in one transaction. */
  replay(records: readonly JournalRecord[]): void
  bytes(): number
  /** The image, with this generation written into it. */
  export(generation: number): Uint8Array
  /** The generation the image was written for; 0 in a fresh one. */
  generation(): number
  /** sha256 over every row of every table, generation and file state left out: equal for equal rooms. */
  dumpHash(): string
  close(): void
}

const META_STEP = 0
const EMPTY: Meta = {
  seq: 0,
  nextEventId: 1,
  version: 0,
  hash: '',
  bytes: 0,
  previousHash: '',
  materialized: true,
}
const META_SQL =
  'UPDATE engine_meta SET seq = ?, next_event_id = ?, version = ?, hash = ?, bytes = ?, previous_hash = ?, materialized = ? WHERE id = 1'
const ENGINE_DDL = `
CREATE TABLE engine_meta (id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, next_event_id INTEGER NOT NULL,
  version INTEGER NOT NULL, hash TEXT NOT NULL, bytes INTEGER NOT NULL, previous_hash TEXT NOT NULL, materialized INTEGER NOT NULL);
CREATE TABLE engine_generation (id INTEGER PRIMARY KEY, generation INTEGER NOT NULL);
INSERT INTO engine_meta VALUES (1, 0, 1, 0, '', 0, '', 1);
INSERT INTO engine_generation VALUES (1, 0);`

/**
 * Opens an image, or creates the tables. Errors: `invalid`/`unsupported_version` when a newer satchel wrote it;
 * `unavailable`/`store_damaged` when it is no database of ours.
 */
export function openLedger(sql: Sql, schema: Schema, statements: Statements, image?: Uint8Array): Ledger {
  const findings = lintSql(schema, statements)
  if (findings.length > 0) throw new Error(`The SQL table cannot be replayed: ${findings.join('; ')}`)
  const connection = image ? openImage(sql, schema, image) : createTables(sql, schema)
  const prepared = preparedStatements(statements, (text) => connection.prepare(text))
  const metaStatement = connection.prepare(META_SQL)
  const [begin, commit, rollback] = ['BEGIN', 'COMMIT', 'ROLLBACK'].map((text) => connection.prepare(text))
  if (!begin || !commit || !rollback) throw new Error('unreachable: three statements were prepared')

  let meta = image ? readMeta(connection.prepare('SELECT * FROM engine_meta')) : EMPTY
  let before = meta
  let steps: Step[] = []

  const writeMeta = (): void => metaStatement.run(metaValues(meta))
  const apply = ([id, values]: Step): void =>
    id === META_STEP ? metaStatement.run(values) : prepared.byId(id).run(values)

  return {
    get meta() {
      return meta
    },
    note: (change) => {
      meta = { ...meta, ...change }
    },
    all: (name, params) => {
      const { statement, values, read } = prepared.bound(name, params)
      if (!read) throw new Error(`Statement ${name} writes: use run`)
      return statement.rows(values)
    },
    begin: () => {
      before = meta
      steps = []
      begin.run([])
    },
    run: (name, params) => {
      const { id, statement, values, read } = prepared.bound(name, params)
      if (read) throw new Error(`Statement ${name} reads: use all or one`)
      statement.run(values)
      steps.push([id, values])
    },
    steps: () => steps.length,
    seal: (change, durable) => {
      meta = { ...meta, ...change, seq: before.seq + 1 }
      writeMeta()
      steps.push([META_STEP, metaValues(meta)])
      return { seq: meta.seq, durable, steps }
    },
    commit: () => commit.run([]),
    rollback: () => {
      rollback.run([])
      meta = before
    },
    replay: (records) => {
      begin.run([])
      for (const record of records) for (const step of record.steps) apply(step)
      commit.run([])
      meta = readMeta(connection.prepare('SELECT * FROM engine_meta'))
    },
    bytes: () =>
      pragma(connection.prepare('PRAGMA page_count')) * pragma(connection.prepare('PRAGMA page_size')),
    export: (generation) => {
      writeMeta()
      connection.exec(`UPDATE engine_generation SET generation = ${generation} WHERE id = 1`)
      return connection.export()
    },
    generation: () => pragma(connection.prepare('SELECT generation FROM engine_generation')),
    dumpHash: () => dumpHash((text) => once(connection.prepare(text))),
    close: () => connection.close(),
  }
}

interface Bound {
  readonly id: number
  readonly read: boolean
  readonly statement: SqlStatement
  readonly values: readonly Cell[]
}

function preparedStatements(statements: Statements, prepare: (sql: string) => SqlStatement) {
  const cache = new Map<string, { statement: SqlStatement; names: readonly string[]; read: boolean }>()
  const nameOf = new Map(Object.entries(statements).map(([name, { id }]) => [id, name]))
  const find = (name: string) => {
    const known = cache.get(name)
    if (known) return known
    const sql = statements[name]?.sql
    if (sql === undefined) throw new Error(`No statement ${name}`)
    const entry = { statement: prepare(sql), names: parameterNames(sql), read: isRead(sql) }
    cache.set(name, entry)
    return entry
  }
  return {
    byId: (id: number): SqlStatement => {
      const name = nameOf.get(id)
      if (name === undefined) throw unsupported()
      return find(name).statement
    },
    bound: (name: string, params: Params = {}): Bound => {
      const { statement, names, read } = find(name)
      const values = names.map((key) => {
        if (!(key in params)) throw new Error(`Statement ${name} needs :${key}`)
        return params[key] ?? null
      })
      return { id: statements[name]?.id ?? 0, read, statement, values }
    },
  }
}

/** SQLite numbers named parameters by their first appearance. */
function parameterNames(sql: string): readonly string[] {
  const withoutText = sql.replace(/'(?:[^']|'')*'/g, "''")
  return [...new Set([...withoutText.matchAll(/:([A-Za-z_]\w*)/g)].map((match) => match[1] ?? ''))]
}

function createTables(sql: Sql, schema: Schema) {
  const connection = sql.open()
  connection.exec(ENGINE_DDL)
  connection.exec(schema.ddl)
  connection.exec(`PRAGMA user_version = ${schema.version}`)
  return connection
}

function openImage(sql: Sql, schema: Schema, image: Uint8Array) {
  let version: number
  let connection: SqlConnection | undefined
  try {
    connection = sql.open(image)
    version = pragma(connection.prepare('PRAGMA user_version'))
    pragma(connection.prepare('SELECT generation FROM engine_generation'))
  } catch (cause) {
    connection?.close()
    throw storeDamaged('room.db is not a readable checkpoint.', { file: 'room.db' }, cause)
  }
  if (version > schema.version) {
    connection.close()
    throw unsupported()
  }
  return connection
}

function unsupported(): SatchelError {
  return new SatchelError(
    'invalid',
    'unsupported_version',
    'This room was written by a newer satchel. Update satchel, then open it again.',
  )
}

/** The refusal to open what was acknowledged and can no longer be read; nothing was written. */
export function storeDamaged(
  what: string,
  details: Readonly<Record<string, unknown>>,
  cause?: unknown,
): SatchelError {
  return new SatchelError(
    'unavailable',
    'store_damaged',
    `${what} Nothing was changed. Run \`satchel workspace doctor\` to see what is readable.`,
    { details, cause },
  )
}

function metaValues(meta: Meta): readonly Cell[] {
  return [
    meta.seq,
    meta.nextEventId,
    meta.version,
    meta.hash,
    meta.bytes,
    meta.previousHash,
    meta.materialized ? 1 : 0,
  ]
}

function readMeta(statement: SqlStatement): Meta {
  const row = once(statement)[0]
  if (!row) throw storeDamaged('room.db has no meta row.', { file: 'room.db' })
  return {
    seq: Number(row['seq']),
    nextEventId: Number(row['next_event_id']),
    version: Number(row['version']),
    hash: String(row['hash']),
    bytes: Number(row['bytes']),
    previousHash: String(row['previous_hash']),
    materialized: row['materialized'] === 1,
  }
}

function once(statement: SqlStatement): Row[] {
  try {
    return statement.rows([])
  } finally {
    statement.free()
  }
}

function pragma(statement: SqlStatement): number {
  return Number(Object.values(once(statement)[0] ?? {})[0])
}

function dumpHash(rows: (sql: string) => Row[]): string {
  const hash = createHash('sha256')
  for (const table of rows("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name")) {
    const name = String(table['name'])
    if (name === 'engine_generation') continue
    hash.update(`${name}\n${table['sql']}\n`)
    for (const row of rows(`SELECT * FROM "${name}"`)
      .map((found) => JSON.stringify(stable(found)))
      .sort()) {
      hash.update(`${row}\n`)
    }
  }
  return hash.digest('hex')
}

/** Whether the file was already replaced is not part of what the room says. */
function stable(row: Row): Row {
  return 'materialized' in row ? { ...row, materialized: 0 } : row
}
