import type { RunningHost } from '../host.ts'
import type { HostDatabase } from '../storage/database.ts'
import { refusals } from '../storage/refusals.ts'
import type { World } from './world.ts'

/** Runs `work` with the database of `storage.url`. Errors: `storage_not_set`, those of the configuration and of `work`. */
export async function withDatabase<T>(
  world: World,
  work: (host: RunningHost, database: HostDatabase) => Promise<T>,
): Promise<T> {
  return withDatabaseIfSet(world, async (host, database) => {
    if (!host || !database) throw refusals.storage_not_set()
    return work(host, database)
  })
}

/** The same, with nothing where `storage.url` is not set. */
export async function withDatabaseIfSet<T>(
  { doors, line }: World,
  work: (host?: RunningHost, database?: HostDatabase) => Promise<T>,
): Promise<T> {
  const config = await doors.loadConfig(line)
  if (config.storage.url === null) return work()
  const host = await doors.setUpHost({ kind: 'all' }, config, line)
  try {
    return await work(host, host.database)
  } finally {
    await host.stop()
  }
}
