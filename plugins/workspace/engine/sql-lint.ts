import type { Schema, Statements } from '../domain/rows.ts'

// Replaying the journal must give the same rows: nothing here may depend on the clock, on chance or on row order.
const BANNED: readonly (readonly [RegExp, string])[] = [
  [/\brandom(blob)?\s*\(/i, 'random()'],
  [/\b(date|time|datetime|julianday|unixepoch|strftime)\s*\(/i, 'SQL clock'],
  [/'now'/i, "'now'"],
  [/\bcurrent_(time|date|timestamp)\b/i, 'CURRENT_TIMESTAMP'],
  [/\blast_insert_rowid\s*\(/i, 'last_insert_rowid()'],
  [/\bautoincrement\b/i, 'AUTOINCREMENT'],
  [/\breturning\b/i, 'RETURNING'],
]

/** What in the SQL table would make a replay differ from the first run; empty when nothing. */
export function lintSql(schema: Schema, statements: Statements): readonly string[] {
  const ids = Object.values(statements).map(({ id }) => id)
  return [
    ...banned('schema', schema.ddl),
    ...Object.entries(statements).flatMap(([name, { id, sql }]) => [
      ...banned(name, sql),
      ...shape(name, sql),
      ...(Number.isSafeInteger(id) && id > 0 ? [] : [`${name}: id ${id} is not 1 or above`]),
      ...(ids.indexOf(id) === ids.lastIndexOf(id) ? [] : [`${name}: id ${id} is used twice`]),
    ]),
  ]
}

function banned(where: string, sql: string): readonly string[] {
  return BANNED.filter(([what]) => what.test(sql)).map(([, rule]) => `${where}: ${rule}`)
}

function shape(name: string, sql: string): readonly string[] {
  const known = isRead(sql) || /^\s*(insert|update|delete|replace)\b/i.test(sql)
  return [
    ...(known ? [] : [`${name}: neither a SELECT nor an INSERT, UPDATE, DELETE or REPLACE`]),
    ...(/\blimit\b/i.test(sql) && !/\border\s+by\b/i.test(sql) ? [`${name}: LIMIT without ORDER BY`] : []),
  ]
}

/** A statement that changes nothing. */
export function isRead(sql: string): boolean {
  return /^\s*(select|with)\b/i.test(sql) && !/\b(insert|update|delete|replace)\s+(into|from|or)\b/i.test(sql)
}
