import { refusals } from './refusals.ts'
import { SESSION_IDLE_MS, SESSIONS_OF_PRINCIPAL } from './session-limits.ts'

const MAX_SESSIONS = 256 // mcp, section 6
const SWEEP_MS = 60_000

export interface SessionTableOptions<S> {
  clock(): number
  /** A session with an open stream is never idle. */
  hasStream(session: S): boolean
  /** Must not reject. */
  end(session: S): Promise<void>
}

/** Sessions by id, each bound to the principal that opened it. */
export interface SessionTable<S> {
  /** Undefined for an id that is unknown, has ended or belongs to another principal. */
  find(id: string, principalId: string): S | undefined
  /** Adds a session and at the maximum ends the longest idle one. Errors: `rate_limited`/`session_limit` if none is idle. */
  add(id: string, principalId: string, session: S): Promise<void>
  touch(id: string): void
  all(): readonly S[]
  remove(id: string): Promise<void>
  close(): Promise<void>
}

interface Row<S> {
  readonly id: string
  readonly principalId: string
  readonly session: S
  usedAt: number
}

/** Creates an empty table; its owner closes it. */
export function createSessionTable<S>(options: SessionTableOptions<S>): SessionTable<S> {
  const rows = new Map<string, Row<S>>()

  const remove = async (id: string): Promise<void> => {
    const row = rows.get(id)
    if (!row || !rows.delete(id)) return
    await options.end(row.session)
  }
  const sweep = (): void => {
    const before = options.clock() - SESSION_IDLE_MS
    for (const row of rows.values()) {
      if (row.usedAt <= before && !options.hasStream(row.session)) void remove(row.id) // `end` does not reject
    }
  }
  const makeRoom = async (among: readonly Row<S>[], limit: number): Promise<void> => {
    if (among.length < limit) return
    const idlest = among
      .filter(({ session }) => !options.hasStream(session))
      .reduce<Row<S> | undefined>(
        (oldest, row) => (oldest && oldest.usedAt <= row.usedAt ? oldest : row),
        undefined,
      )
    if (!idlest) throw refusals.session_limit()
    await remove(idlest.id)
  }
  const timer = setInterval(sweep, SWEEP_MS).unref()

  return {
    find(id, principalId) {
      sweep()
      const row = rows.get(id)
      if (row?.principalId !== principalId) return undefined
      row.usedAt = options.clock()
      return row.session
    },
    async add(id, principalId, session) {
      sweep()
      const all = [...rows.values()]
      await makeRoom(
        all.filter((row) => row.principalId === principalId),
        SESSIONS_OF_PRINCIPAL,
      )
      await makeRoom([...rows.values()], MAX_SESSIONS)
      rows.set(id, { id, principalId, session, usedAt: options.clock() })
    },
    touch(id) {
      const row = rows.get(id)
      if (row) row.usedAt = options.clock()
    },
    all: () => [...rows.values()].map(({ session }) => session),
    remove,
    async close() {
      clearInterval(timer)
      await Promise.all([...rows.keys()].map(remove))
    },
  }
}
