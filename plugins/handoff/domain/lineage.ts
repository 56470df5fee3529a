import type { RecordRow } from './record-row.ts'

/** The fields of a row that lineage needs. */
export type LineageRow = Pick<RecordRow, 'id' | 'parents'>

/** Orders records by id, without regard to case. */
export function byRisingId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id.toLowerCase() < b.id.toLowerCase() ? -1 : 1
}

/** Rows by lower-case id. */
export function byId<T extends LineageRow>(rows: readonly T[]): ReadonlyMap<string, T> {
  return new Map(rows.map((row) => [row.id.toLowerCase(), row]))
}

/** The items with parents before their children. A cycle has no first one: the rest stays in the given order. */
export function parentsFirst<T>(items: readonly T[], rowOf: (item: T) => LineageRow): readonly T[] {
  let left = items.map((item) => ({ item, row: rowOf(item) }))
  const ordered: T[] = []
  while (left.length > 0) {
    const ids = new Set(left.map(({ row }) => row.id.toLowerCase()))
    const isFree = ({ id, parents }: LineageRow): boolean =>
      parents.every((parent) => parent.toLowerCase() === id.toLowerCase() || !ids.has(parent.toLowerCase()))
    const free = left.filter(({ row }) => isFree(row))
    const next = new Set(free.length > 0 ? free : left)
    ordered.push(...[...next].map(({ item }) => item))
    left = left.filter((one) => !next.has(one))
  }
  return ordered
}

/** Every ancestor of a record, nearest first, without the record itself. Cycles are followed once. */
export function ancestorsOf<T extends LineageRow>(id: string, rows: ReadonlyMap<string, T>): readonly T[] {
  const found: T[] = []
  const seen = new Set([id.toLowerCase()])
  let level = [id.toLowerCase()]
  while (level.length > 0) {
    const next: string[] = []
    for (const parent of level.flatMap((child) => rows.get(child)?.parents ?? [])) {
      const key = parent.toLowerCase()
      if (seen.has(key)) continue
      seen.add(key)
      const row = rows.get(key)
      if (row) found.push(row)
      next.push(key)
    }
    level = next
  }
  return found
}

/** The ids from the oldest ancestor, along first parents, to the record itself. */
export function lineagePath(id: string, rows: ReadonlyMap<string, LineageRow>): readonly string[] {
  const path: string[] = []
  const seen = new Set<string>()
  let at: string | undefined = id.toLowerCase()
  while (at !== undefined && !seen.has(at)) {
    seen.add(at)
    path.unshift(at)
    at = rows.get(at)?.parents[0]?.toLowerCase()
  }
  return path
}
