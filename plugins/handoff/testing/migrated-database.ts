import { createHost } from '../../../server/host.ts'
import type { PostgresServer } from '../../../test/postgres-server.ts'
import { plugin } from '../index.ts'
import { testHost } from './fixture.ts'

/** The address of a new database of this name with the tables of handoffs. */
export async function migratedDatabase(server: PostgresServer, name: string): Promise<string> {
  server.sql(`create database ${name} owner app`, 'postgres')
  const url = server.urlOf(name)
  const host = await createHost([{ plugin, config: plugin.config.parse({}), source: 'built in' }], {
    ...testHost('/', () => new Date()),
    filter: { profile: 'full', readOnly: false, include: [], exclude: [] },
    databaseUrl: url,
    openListener: () => Promise.reject(new Error('no listener in this test')),
  })
  await host.database?.migrate()
  await host.stop()
  return url
}
