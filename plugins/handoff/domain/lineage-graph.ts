import { shownLine } from './fence.ts'
import { childrenOf, leavesOf } from './latest.ts'
import { ancestorsOf, byId, type LineageRow } from './lineage.ts'
import { shortId } from './record-id.ts'
import type { RecordRow } from './record-row.ts'

export const DIRECTIONS = ['ancestors', 'descendants', 'both'] as const
export type Direction = (typeof DIRECTIONS)[number]

export interface LineageNode {
  readonly id: string
  readonly title: string
  readonly status: string
  readonly relation: string
  readonly branch_label: string | null
}

export interface LineageGraph {
  readonly nodes: readonly LineageNode[]
  readonly edges: readonly { readonly from: string; readonly to: string; readonly relation: string }[]
  readonly roots: readonly string[]
  readonly leaves: readonly string[]
  readonly missing_parents: readonly string[]
  readonly cycles: readonly (readonly string[])[]
  readonly mermaid: string
}

/** The records around one, or all; edges lead from parent to child. */
export function lineageGraph(
  rows: readonly RecordRow[],
  id: string | undefined,
  direction: Direction,
  depth: number,
): LineageGraph {
  const chosen = id === undefined ? rows : around(rows, id, direction, depth)
  const known = byId(rows)
  const shown = new Set(chosen.map((row) => row.id.toLowerCase()))
  const edges = chosen.flatMap((row) =>
    row.parents
      .filter((parent) => shown.has(parent.toLowerCase()))
      .map((parent) => ({ from: parent.toLowerCase(), to: row.id.toLowerCase(), relation: row.relation })),
  )
  const missing = chosen.flatMap((row) => row.parents.filter((parent) => !known.has(parent.toLowerCase())))
  return {
    nodes: chosen.map(nodeOf),
    edges,
    roots: chosen.filter((row) => row.parents.length === 0).map((row) => row.id),
    leaves: leavesOf(chosen).map((row) => row.id),
    missing_parents: [...new Set(missing)],
    cycles: cyclesOf(rows).filter((cycle) => cycle.some((member) => shown.has(member))),
    mermaid: mermaidOf(chosen, edges),
  }
}

function around(
  rows: readonly RecordRow[],
  id: string,
  direction: Direction,
  depth: number,
): readonly RecordRow[] {
  const known = byId(rows)
  const children = childrenOf(rows)
  const steps: ((id: string) => readonly string[])[] = []
  if (direction !== 'descendants') steps.push((at) => known.get(at)?.parents ?? [])
  if (direction !== 'ancestors') steps.push((at) => (children.get(at) ?? []).map((row) => row.id))
  const found = new Set([id.toLowerCase()])
  for (const step of steps) {
    let level = [id.toLowerCase()]
    for (let distance = 0; distance < depth && level.length > 0; distance++) {
      level = level
        .flatMap(step)
        .map((next) => next.toLowerCase())
        .filter((next) => !found.has(next))
      for (const next of level) found.add(next)
    }
  }
  return rows.filter((row) => found.has(row.id.toLowerCase()))
}

/** Groups of records that are their own ancestors, each group once, in id order. */
export function cyclesOf(rows: readonly LineageRow[]): readonly (readonly string[])[] {
  const known = byId(rows)
  const left = new Set(onCycles(known))
  const cycles: string[][] = []
  for (const id of [...left].sort()) {
    if (!left.has(id)) continue
    const ancestors = new Set(ancestorsOf(id, known).map((row) => row.id.toLowerCase()))
    const members = [...left].filter(
      (other) =>
        other === id ||
        (ancestors.has(other) && ancestorsOf(other, known).some((row) => row.id.toLowerCase() === id)),
    )
    for (const member of members) left.delete(member)
    const isSelf =
      members.length === 1 && !(known.get(id)?.parents ?? []).some((parent) => parent.toLowerCase() === id)
    if (!isSelf) cycles.push(members.sort())
  }
  return cycles
}

/** What is left when every record without parents, then without children, is taken away again and again. */
function onCycles(known: ReadonlyMap<string, LineageRow>): string[] {
  const up = new Map<string, readonly string[]>()
  for (const [id, row] of known) up.set(id, linksIn(known, row.parents))
  const withParents = peeled(up)
  const down = new Map<string, string[]>([...withParents].map((id) => [id, []]))
  for (const id of withParents) for (const parent of up.get(id) ?? []) down.get(parent)?.push(id)
  return [...peeled(down)]
}

function linksIn(known: ReadonlyMap<string, LineageRow>, ids: readonly string[]): string[] {
  return [...new Set(ids.map((id) => id.toLowerCase()))].filter((id) => known.has(id))
}

/** The ids from which the links never run out. */
function peeled(links: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const open = new Map(
    [...links].map(([id, targets]) => [id, targets.filter((target) => links.has(target)).length]),
  )
  const sources = new Map<string, string[]>()
  for (const [id, targets] of links) {
    for (const target of targets) {
      const list = sources.get(target)
      if (list) list.push(id)
      else sources.set(target, [id])
    }
  }
  const free = [...open].filter(([, count]) => count === 0).map(([id]) => id)
  for (const id of free) {
    for (const source of sources.get(id) ?? []) {
      const count = (open.get(source) ?? 0) - 1
      open.set(source, count)
      if (count === 0) free.push(source)
    }
  }
  const gone = new Set(free)
  return new Set([...links.keys()].filter((id) => !gone.has(id)))
}

function nodeOf(row: RecordRow): LineageNode {
  return {
    id: row.id,
    title: shownLine(row.title).slice(0, 120),
    status: row.status,
    relation: row.relation,
    branch_label: row.branch_label === null ? null : shownLine(row.branch_label).slice(0, 120),
  }
}

const MAX_DRAWN = 200

/** Labels hold nothing that could end them: letters, digits and blanks of the title. */
function mermaidOf(rows: readonly RecordRow[], edges: LineageGraph['edges']): string {
  const drawn = new Set(rows.slice(0, MAX_DRAWN).map((row) => row.id.toLowerCase()))
  const nodes = rows.slice(0, MAX_DRAWN).map((row) => {
    const label = row.title.replace(/[^\p{L}\p{N} ._-]/gu, ' ').slice(0, 40)
    return `  n${shortId(row.id)}["${shortId(row.id)} ${row.status} ${label}"]`
  })
  const arrows = edges
    .filter(({ from, to }) => drawn.has(from) && drawn.has(to))
    .map(({ from, to, relation }) => `  n${shortId(from)} -->|${relation}| n${shortId(to)}`)
  return ['flowchart TD', ...nodes, ...arrows].join('\n')
}
