import type { Sql, SqlConnection } from '../../../plugins/workspace/engine/sql.ts'

/** Opens connections and closes them all: an abandoned room never closes its own, and sql.js has a limit. */
export interface TrackedSql {
  readonly sql: Sql
  closeAll(): void
}

export function trackSql(sql: Sql): TrackedSql {
  const open = new Set<SqlConnection>()
  return {
    sql: {
      open: (image) => {
        const connection = sql.open(image)
        const tracked: SqlConnection = {
          ...connection,
          close: () => {
            if (open.delete(tracked)) connection.close()
          },
        }
        open.add(tracked)
        return tracked
      },
    },
    closeAll: () => {
      for (const connection of [...open]) connection.close()
    },
  }
}
