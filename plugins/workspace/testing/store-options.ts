import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { realDisk } from '../../../server/plugin.ts'
import { temporaryFolderSync } from '../../../test/harness/temporary-folder.ts'
import { realClock, realRandom } from '../engine/clock.ts'
import { JOURNAL_LIMITS } from '../engine/generations.ts'
import type { StoreOptions } from '../engine/room-store.ts'
import type { Sql } from '../engine/sql.ts'
import { modelContent, silentLog } from './model.ts'

let engine: Promise<Sql> | undefined

/** The SQL engine, compiled once for a test file. */
export function loadedSql(): Promise<Sql> {
  const wasm = join(dirname(createRequire(import.meta.url).resolve('sql.js')), 'sql-wasm.wasm')
  engine ??= import('../engine/sql.lazy.ts').then(({ loadSql }) => loadSql(readFileSync(wasm)))
  return engine
}

/** Options of a store on the real disk, in a folder of its own that is removed after the test. */
export async function storeOptions(t: TestContext, text = '# Plan\n'): Promise<StoreOptions> {
  const directory = temporaryFolderSync(t)
  const sidecar = join(directory, '.plan.md.satchel')
  mkdirSync(sidecar, { mode: 0o700 })
  const file = join(directory, 'plan.md')
  writeFileSync(file, text)
  utimesSync(file, new Date(0), new Date(0)) // one of the last moment is looked at before every change
  return {
    sidecar,
    file,
    content: modelContent,
    sql: await loadedSql(),
    disk: realDisk,
    clock: realClock,
    random: realRandom,
    log: silentLog,
    owner: 1,
    holdsLock: () => true,
  }
}

/** More than a record carries. */
export function longText(start: string): string {
  return start.padEnd(JOURNAL_LIMITS.textBytes + 1, '.')
}
