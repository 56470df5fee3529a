import type { Database } from '../../../../server/plugin.ts'

/** For the server the lease of a process with `ENDLESS_MS` ends after this. */
const SHORT_S = 0.5
/** The lease of a process that never notices its end. */
export const ENDLESS_MS = 1_000_000_000

/** Mistakes in the use of the database that the torture of a room must find. */
export const ROOM_BUGS = {
  'the fence is not checked': rewritten((sql) =>
    sql
      .replace(
        'owner = $3::uuid and lease_until > clock_timestamp() and head = $4::bigint',
        '$3::uuid is not null and $4::bigint is not null',
      )
      .replace(
        /make_interval\(secs => (\$\d::float8 \/ 1000)\)/,
        `make_interval(secs => least($1, ${SHORT_S}))`,
      ),
  ),
  // That of a machine whose clock is ten minutes ahead.
  'the lease is judged by the clock of the client': rewritten((sql) =>
    sql
      .replace('lease_until <= clock_timestamp()', "lease_until <= clock_timestamp() + interval '10 min'")
      .replace(
        'case when lease_until > clock_timestamp()',
        "case when lease_until > clock_timestamp() + interval '10 min'",
      ),
  ),
  'a change is acknowledged before its commit': early,
} as const

export type RoomBug = keyof typeof ROOM_BUGS

/** The database as a process with this mistake uses it. */
export function plantIn<D extends Database>(database: D, bug: string | undefined): D {
  return bug === undefined ? database : ROOM_BUGS[bug as RoomBug](database)
}

function rewritten(change: (sql: string) => string) {
  return <D extends Database>(database: D): D => ({
    ...database,
    query: (text: string, values?: Parameters<Database['query']>[1]) => database.query(change(text), values),
    write: (parts: string, values: Parameters<Database['write']>[1]) => database.write(change(parts), values),
  })
}

/** Answers flushes before they are sent. */
function early<D extends Database>(database: D): D {
  let before: Promise<unknown> = Promise.resolve()
  return {
    ...database,
    async write(parts: string, values: Parameters<Database['write']>[1]) {
      if (!parts.includes('room_records (')) return database.write(parts, values)
      before = before.then(() => database.write(parts, values)).catch(() => undefined)
      return 1
    },
  }
}
