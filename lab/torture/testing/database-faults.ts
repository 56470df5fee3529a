import { setTimeout as wait } from 'node:timers/promises'
import type { PostgresServer } from '../../../test/postgres-server.ts'

/** How long something hangs. */
export const FROZEN_MS = 50

/** What can happen to a database under the processes that use it. */
export const DATABASE_FAULTS: Readonly<
  Record<string, (stage: { readonly server: PostgresServer }) => Promise<void>>
> = {
  'every connection is cut': async ({ server }) => cutConnections(server),
  'the connections that commit are cut': async ({ server }) => cutConnections(server, "and state <> 'idle'"),
  'the database hangs': async ({ server }) => {
    const frozen = server.pause()
    await wait(FROZEN_MS)
    frozen.resume()
  },
  'the database is killed': async ({ server }) => {
    await server.kill()
    await server.start()
  },
}

function cutConnections(server: PostgresServer, which = ''): void {
  server.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'satchel%' ${which}`,
  )
}
