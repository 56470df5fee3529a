import { createHash } from 'node:crypto'
import type { Params, Row, Schema, Statements } from '../domain/rows.ts'
import { refusals } from '../reasons.ts'
import { storeDamaged } from './damage.ts'
import type { JournalRecord, Step } from './journal-record.ts'
import {
  EMPTY_META,
  ENGINE_DDL,
  FORMAT,
  META_SQL,
  META_STEP,
  type Meta,
  metaOfRow,
  metaValues,
} from './meta.ts'
import { prepareStatements } from './prepared-statements.ts'
import type { Sql, SqlConnection, SqlStatement } from './sql.ts'
import { lintSql } from './sql-lint.ts'

/** All rows of the room in memory. It never touches the disk; the store feeds it and journals what it did. */
export interface Ledger {
  readonly meta: Meta
  /** Whether the image is of an older format; what is exported is not. */
  readonly isOlder: boolean
  /** Changes what the next record will say; not itself a change of rows. */
  note(change: Partial<Meta>): void
  all(statement: string, params?: Params): Row[]
  begin(): void
  run(statement: string, params?: Params): void
  /** The steps run since `begin`. */
  steps(): number
  /** Takes the next `seq` and gives the record to journal, with the meta row; `commit` or `rollback` must follow. */
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

/**
 * Opens an image, or creates the tables. Errors: `invalid`/`unsupported_version` when a newer satchel wrote it;
 * `unavailable`/`store_damaged` when it is not a database of ours.
 */
export function openLedger(sql: Sql, schema: Schema, statements: Statements, image?: Uint8Array): Ledger {
  const findings = lintSql(schema, statements)
  if (findings.length > 0) throw new Error(`The SQL table cannot be replayed: ${findings.join('; ')}`)
  const { connection, isOlder } = image
    ? openImage(sql, schema, image)
    : { connection: createTables(sql, schema), isOlder: false }
  const prepared = prepareStatements(statements, (text) => connection.prepare(text))
  const metaStatement = connection.prepare(META_SQL)
  const changes = openChanges(connection)
  const pageCount = connection.prepare('PRAGMA page_count')
  const pageSize = pragma(connection.prepare('PRAGMA page_size'))

  let meta = image ? readMeta(connection) : EMPTY_META
  let before = meta
  let steps: Step[] = []

  const writeMeta = (): void => metaStatement.run(metaValues(meta))
  const apply = ([id, values]: Step): void =>
    id === META_STEP ? metaStatement.run(values) : prepared.byId(id).run(values)

  return {
    isOlder,
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
      changes.begin()
    },
    run: (name, params) => {
      const { id, statement, values, read } = prepared.bound(name, params)
      if (read) throw new Error(`Statement ${name} reads: use all or one`)
      statement.run(values)
      steps.push([id, values])
    },
    steps: () => steps.length,
    seal: (change, durable) => {
      // The row itself is written when something reads it: with the image, and for the dump.
      meta = { ...meta, ...change, seq: before.seq + 1 }
      steps.push([META_STEP, metaValues(meta)])
      return { seq: meta.seq, durable, steps }
    },
    commit: changes.commit,
    rollback: () => {
      changes.rollback()
      meta = before
    },
    replay: (records) => {
      changes.begin()
      for (const record of records) for (const step of record.steps) apply(step)
      changes.commit()
      meta = readMeta(connection)
    },
    bytes: () => Number(pageCount.rows([])[0]?.['page_count']) * pageSize,
    export: (generation) => {
      changes.settle()
      writeMeta()
      connection.exec(`UPDATE engine_generation SET generation = ${generation} WHERE id = 1`)
      return connection.export()
    },
    generation: () => pragma(connection.prepare('SELECT generation FROM engine_generation')),
    dumpHash: () => {
      writeMeta()
      return dumpHash((text) => once(connection.prepare(text)))
    },
    close: () => connection.close(),
  }
}

const SETTLED_AFTER = 64

/**
 * The transactions of the room are savepoints of one of SQLite's: its commit copies every changed page into the file that
 * sql.js keeps in memory, which costs as much as the statements, and the journal alone is the authority. The outer one ends
 * before an image is taken, and after some changes, because SQLite keeps the former content of each page that it changed.
 */
function openChanges(connection: SqlConnection) {
  const prepare = (sql: string) => {
    const statement = connection.prepare(sql)
    return () => statement.run([])
  }
  const outer = { begin: prepare('BEGIN'), commit: prepare('COMMIT') }
  const inner = { begin: prepare('SAVEPOINT change'), commit: prepare('RELEASE change') }
  const undo = prepare('ROLLBACK TO change')
  let made: number | undefined // in the outer transaction, if one is open
  const settle = (): void => {
    if (made === undefined) return
    outer.commit()
    made = undefined
  }
  return {
    begin: () => {
      if (made === undefined) outer.begin()
      made ??= 0
      inner.begin()
    },
    commit: () => {
      inner.commit()
      made = (made ?? 0) + 1
      if (made >= SETTLED_AFTER) settle()
    },
    rollback: () => {
      undo()
      inner.commit()
    },
    settle,
  }
}

function createTables(sql: Sql, schema: Schema) {
  const connection = sql.open()
  connection.exec(ENGINE_DDL)
  connection.exec(schema.ddl)
  connection.exec(`PRAGMA user_version = ${FORMAT * FORMAT_STEP + schema.version}`)
  return connection
}

const FORMAT_STEP = 1_000 // `user_version` is the format in thousands and the version of the tables

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
  const [format, tables] = [Math.floor(version / FORMAT_STEP), version % FORMAT_STEP]
  if (format > FORMAT || tables > schema.version) {
    connection.close()
    throw refusals.unsupported_version()
  }
  connection.exec(`PRAGMA user_version = ${FORMAT * FORMAT_STEP + tables}`)
  return { connection, isOlder: format < FORMAT }
}

function readMeta(connection: SqlConnection): Meta {
  return metaOfRow(once(connection.prepare('SELECT * FROM engine_meta'))[0])
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
