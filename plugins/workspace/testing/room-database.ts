import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { createDatabase, type HostDatabase } from '../../../server/storage/database.ts'
import { MIGRATIONS } from '../engine/database-rows.ts'

const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

/** The database of a test, as the host gives it to the plugin, with the tables of rooms; closed after the test. */
export async function openRoomDatabase(t: TestContext, url: string): Promise<HostDatabase> {
  const database = createDatabase({
    url,
    log: SILENT,
    now: () => new Date(),
    schema: () => [{ owner: 'workspace', migrations: MIGRATIONS }],
  })
  t.after(() => database.close())
  await database.migrate()
  return database
}

/** A name that no other room of a test has. */
export function newRoomName(): string {
  return `room ${randomUUID()}`
}
