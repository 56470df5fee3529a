import { setTimeout as wait } from 'node:timers/promises'
import type { RunningServer } from '../../../test/postgres-server.ts'

/** How long something hangs. */
export const FROZEN_MS = 50

/** What can happen to a database under the processes that use it. */
export const DATABASE_FAULTS: Readonly<
  Record<string, (stage: { readonly server: RunningServer }) => Promise<void>>
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

function cutConnections(server: RunningServer, which = ''): void {
  server.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'satchel%' ${which}`,
  )
}

/** The server itself notes each owner that begins before the lease of the one before has ended. */
export function watchOwners(server: RunningServer): void {
  server.sql(`
    create table early_owners (told text);
    grant insert on early_owners to app;
    create function watch_owners() returns trigger language plpgsql as $$
    begin
      if new.generation <> old.generation and old.lease_until > clock_timestamp() then
        insert into early_owners values (format('owner %s began in the lease of owner %s', new.generation, old.generation));
      end if;
      return new;
    end $$;
    create trigger watch_owners before update on satchel.rooms for each row execute function watch_owners()`)
}

/** What `watchOwners` noted. */
export function earlyOwners(server: Pick<RunningServer, 'sql'>): string[] {
  return server.sql('select told from early_owners').split('\n').filter(Boolean)
}
