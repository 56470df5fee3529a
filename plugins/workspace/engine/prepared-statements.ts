import type { Cell, Params, Statements } from '../domain/rows.ts'
import { refusals } from '../reasons.ts'
import type { SqlStatement } from './sql.ts'
import { isRead } from './sql-lint.ts'

/** A statement of the fixed table with its parameters in SQLite's order. */
export interface Bound {
  readonly id: number
  readonly read: boolean
  readonly statement: SqlStatement
  readonly values: readonly Cell[]
}

export interface PreparedStatements {
  /** Errors: `invalid`/`unsupported_version` for an unknown number. */
  byId(id: number): SqlStatement
  /** Errors: a statement or parameter that is missing is a mistake of ours. */
  bound(name: string, params?: Params): Bound
}

/** The fixed table; each statement is prepared when first used. */
export function prepareStatements(
  statements: Statements,
  prepare: (sql: string) => SqlStatement,
): PreparedStatements {
  const cache = new Map<string, { statement: SqlStatement; names: readonly string[]; read: boolean }>()
  const nameOf = new Map(Object.entries(statements).map(([name, { id }]) => [id, name]))
  const find = (name: string) => {
    const known = cache.get(name)
    if (known) return known
    const sql = statements[name]?.sql
    if (sql === undefined) throw new Error(`No statement ${name}`)
    const entry = { statement: prepare(sql), names: parameterNames(sql), read: isRead(sql) }
    cache.set(name, entry)
    return entry
  }
  return {
    byId: (id: number): SqlStatement => {
      const name = nameOf.get(id)
      if (name === undefined) throw refusals.unsupported_version()
      return find(name).statement
    },
    bound: (name: string, params: Params = {}): Bound => {
      const { statement, names, read } = find(name)
      const values = names.map((key) => {
        if (!(key in params)) throw new Error(`Statement ${name} needs :${key}`)
        return params[key] ?? null
      })
      return { id: statements[name]?.id ?? 0, read, statement, values }
    },
  }
}

/** SQLite numbers named parameters by their first appearance. */
function parameterNames(sql: string): readonly string[] {
  const withoutText = sql.replace(/'(?:[^']|'')*'/g, "''")
  return [...new Set([...withoutText.matchAll(/:([A-Za-z_]\w*)/g)].map((match) => match[1] ?? ''))]
}
