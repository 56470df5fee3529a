import initSqlJs from 'sql.js/dist/sql-wasm.js'
import type { Cell, Row } from '../domain/rows.ts'
import type { Sql, SqlConnection, SqlStatement } from './sql.ts'

// Nothing of SQLite's own durability is used: with these a four-statement mutation costs 0.02 ms instead of 0.09-0.17,
// and ROLLBACK still works (design workspace-engine 2).
const PRAGMAS =
  'PRAGMA journal_mode=MEMORY; PRAGMA locking_mode=EXCLUSIVE; PRAGMA synchronous=OFF; PRAGMA foreign_keys=ON;'

/** Compiles sql.js from the bytes of `sql-wasm.wasm`. */
export async function loadSql(wasm: Uint8Array): Promise<Sql> {
  // The types ask for an ArrayBuffer, sql.js takes the bytes as they are.
  const engine = await initSqlJs({ wasmBinary: new Uint8Array(wasm).buffer })
  return {
    open: (image) => {
      const database = new engine.Database(image)
      database.exec(PRAGMAS)
      return connection(database)
    },
  }
}

type Database = InstanceType<Awaited<ReturnType<typeof initSqlJs>>['Database']>

function connection(database: Database): SqlConnection {
  return {
    exec: (sql) => {
      database.exec(sql)
    },
    prepare: (sql) => prepared(database, sql),
    export: () => database.export(),
    close: () => database.close(),
  }
}

function prepared(database: Database, sql: string): SqlStatement {
  const statement = database.prepare(sql)
  let names: readonly string[] | undefined
  return {
    run: (values) => {
      try {
        statement.bind([...values])
        statement.step()
      } finally {
        statement.reset()
      }
    },
    rows: (values) => {
      const rows: Row[] = []
      try {
        statement.bind([...values])
        // sql.js asks for the names again at each row, which costs more than the values.
        while (statement.step()) {
          names ??= statement.getColumnNames()
          rows.push(rowOf(names, statement.get()))
        }
      } finally {
        statement.reset()
      }
      return rows
    },
    free: () => {
      statement.free()
    },
  }
}

function rowOf(names: readonly string[], values: readonly unknown[]): Row {
  const row: Record<string, Cell> = {}
  // No column of ours holds a blob.
  for (const [at, name] of names.entries()) row[name] = values[at] as Cell
  return row
}
