import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { DENSE_DIMS } from '../../../plugins/modules/search/dense-features.ts'
import { cpuMs } from '../timing.ts'

/** The part of `node:sqlite` that is used: the types of Node 20 do not know it. */
interface Sqlite {
  readonly DatabaseSync: new (
    file: string,
    options: { readonly allowExtension: boolean },
  ) => {
    loadExtension(file: string): void
    exec(sql: string): void
    prepare(sql: string): {
      run(...values: readonly unknown[]): void
      all(...values: readonly unknown[]): unknown
    }
    close(): void
  }
}

/**
 * CPU of opening a file of sqlite-vec and one query for the ten nearest vectors. Undefined where SQLite is not part of
 * Node (before 22.13) or the package is not installed (`npm ci --prefix test/peers`).
 */
export async function measureSqliteVec(file: string, vectors: Float32Array): Promise<number | undefined> {
  const sqlite = await loadSqlite()
  const extension = findExtension()
  if (!sqlite || extension === undefined) return undefined
  const open = () => {
    const database = new sqlite.DatabaseSync(file, { allowExtension: true })
    database.loadExtension(extension)
    return database
  }
  const written = open()
  written.exec(`CREATE VIRTUAL TABLE modules USING vec0(vector float[${DENSE_DIMS}])`)
  const insert = written.prepare('INSERT INTO modules(vector) VALUES (?)')
  written.exec('BEGIN')
  for (let at = 0; at < vectors.length; at += DENSE_DIMS) insert.run(bytesAt(vectors, at))
  written.exec('COMMIT')
  written.close()
  return await cpuMs(async () => {
    const database = open()
    const query = database.prepare('SELECT rowid, distance FROM modules WHERE vector MATCH ? AND k = 10')
    query.all(bytesAt(vectors, 0))
    database.close()
  })
}

function bytesAt(vectors: Float32Array, at: number): Uint8Array {
  return new Uint8Array(vectors.slice(at, at + DENSE_DIMS).buffer)
}

async function loadSqlite(): Promise<Sqlite | undefined> {
  const name = 'node:sqlite'
  try {
    return (await import(name)) as Sqlite // by its documentation
  } catch {
    return undefined // this Node has none
  }
}

function findExtension(): string | undefined {
  for (let folder = import.meta.dirname; dirname(folder) !== folder; folder = dirname(folder)) {
    const peers = join(folder, 'test/peers/package.json')
    if (!existsSync(peers)) continue
    try {
      const found = createRequire(peers)('sqlite-vec') as { getLoadablePath(): string } // by its documentation
      return found.getLoadablePath()
    } catch {
      return undefined // not installed
    }
  }
  return undefined
}
