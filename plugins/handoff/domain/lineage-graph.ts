import { addTo, type CursorKey, compareKeys, cursorOf, keyIn, questionName } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import { readOn, type Truncated, withinBytes } from './answer-budget.ts'
import { shownLine } from './fence.ts'
import { childrenOf, leavesOf } from './latest.ts'
import { ancestorsOf, byId, byRisingId, type LineageRow } from './lineage.ts'
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

export interface LineageRequest {
  /** The start; absent: every record. */
  readonly id: string | undefined
  readonly direction: Direction
  /** Steps from the start. */
  readonly depth: number
  /** Records on a page. */
  readonly limit: number
  readonly cursor: string | undefined
}

export interface LineagePage extends LineageGraph {
  /** Records of all pages. */
  readonly total: number
  readonly next_cursor: string | null
  readonly truncated?: Truncated
}

/** Size of the lists as JSON, without the nodes: a merge may have as many parents as fit into a record. */
const LISTS_BYTES = 48 * 1024

/**
 * A page of the records around one, nearest first, or of all records by id. Edges lead from parent to child and are on
 * the page of the child. Errors: `invalid`/`bad_cursor`.
 */
export function lineagePage(rows: readonly RecordRow[], request: LineageRequest): LineagePage {
  const distances = request.id === undefined ? undefined : distancesFrom(rows, { ...request, id: request.id })
  const chosen = distances ? rows.filter((row) => distances.has(row.id.toLowerCase())) : rows
  const keyed = chosen
    .map((row) => ({ row, key: [distances?.get(row.id.toLowerCase()) ?? 0, row.id.toLowerCase()] }))
    .sort((a, b) => compareKeys(a.key, b.key))
  const after = startOf(request)
  const left = after ? keyed.filter(({ key }) => compareKeys(key, after) > 0) : keyed
  const first = left.slice(0, request.limit)
  const last = first.at(-1)
  const hasMore = first.length < left.length
  const page = first.map(({ row }) => row).sort(byRisingId)
  return {
    ...bounded(graphOf(page, chosen, rows), page),
    total: chosen.length,
    next_cursor: hasMore && last ? cursorOf(questionOf(request), last.key) : null,
  }
}

function startOf(request: LineageRequest): CursorKey | undefined {
  if (request.cursor === undefined) return undefined
  const key = keyIn(request.cursor, questionOf(request))
  if (key) return key
  throw refusals.bad_cursor({ next: { tool: 'handoff_lineage', args: {} } })
}

function questionOf({ id, direction, depth }: LineageRequest): string {
  return questionName({ tool: 'lineage', id: id?.toLowerCase(), direction, depth })
}

/** The graph of a page. Leaves depend on `chosen`, missing parents and cycles on all `rows`. */
function graphOf(
  page: readonly RecordRow[],
  chosen: readonly RecordRow[],
  rows: readonly RecordRow[],
): LineageGraph {
  const known = byId(rows)
  const shown = new Set(chosen.map((row) => row.id.toLowerCase()))
  const onPage = new Set(page.map((row) => row.id.toLowerCase()))
  const edges = page.flatMap((row) =>
    row.parents
      .filter((parent) => shown.has(parent.toLowerCase()))
      .map((parent) => ({ from: parent.toLowerCase(), to: row.id.toLowerCase(), relation: row.relation })),
  )
  const missing = page.flatMap((row) => row.parents.filter((parent) => !known.has(parent.toLowerCase())))
  return {
    nodes: page.map(nodeOf),
    edges,
    roots: page.filter((row) => row.parents.length === 0).map((row) => row.id),
    leaves: leavesOf(chosen)
      .filter((row) => onPage.has(row.id.toLowerCase()))
      .map((row) => row.id),
    missing_parents: [...new Set(missing)],
    cycles: cyclesOf(rows).filter((cycle) => cycle.some((member) => onPage.has(member))),
    mermaid: mermaidOf(page, edges),
  }
}

/** Cuts the lists to their size; the next call reads the record with the most parents. */
function bounded(
  graph: LineageGraph,
  page: readonly RecordRow[],
): Omit<LineagePage, 'total' | 'next_cursor'> {
  const { edges, roots, leaves, missing_parents, cycles } = graph
  const { lists, leftOut } = withinBytes({ roots, leaves, missing_parents, cycles, edges }, LISTS_BYTES)
  const [busiest] = [...page].sort((a, b) => b.parents.length - a.parents.length)
  if (Object.keys(leftOut).length === 0 || !busiest) return graph
  return {
    ...graph,
    ...lists,
    mermaid: mermaidOf(page, lists.edges),
    truncated: {
      reason: 'over_budget',
      left_out: leftOut,
      next: readOn(busiest.id, '/lineage/parents'),
    },
  }
}

/** The distance of every reachable record, including the start. */
function distancesFrom(
  rows: readonly RecordRow[],
  { id, direction, depth }: LineageRequest & { readonly id: string },
): ReadonlyMap<string, number> {
  const known = byId(rows)
  const children = childrenOf(rows)
  const steps: ((id: string) => readonly string[])[] = []
  if (direction !== 'descendants') steps.push((at) => known.get(at)?.parents ?? [])
  if (direction !== 'ancestors') steps.push((at) => (children.get(at) ?? []).map((row) => row.id))
  const found = new Map([[id.toLowerCase(), 0]])
  for (const step of steps) {
    let level = [id.toLowerCase()]
    for (let distance = 1; distance <= depth && level.length > 0; distance++) {
      level = [...new Set(level.flatMap(step).map((next) => next.toLowerCase()))].filter(
        (next) => !found.has(next),
      )
      for (const next of level) found.set(next, distance)
    }
  }
  return found
}

/** Groups of records that are their own ancestors, in id order. */
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

/** Repeatedly removes records without parents, then records without children; what remains is on cycles. */
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

/** The ids from which a path of links never ends. */
function peeled(links: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const open = new Map(
    [...links].map(([id, targets]) => [id, targets.filter((target) => links.has(target)).length]),
  )
  const sources = new Map<string, string[]>()
  for (const [id, targets] of links) {
    for (const target of targets) addTo(sources, target, id)
  }
  const free = [...open].filter(([, count]) => count === 0).map(([id]) => id)
  for (const id of free) {
    for (const source of sources.get(id) ?? []) {
      const count = (open.get(source) ?? 0) - 1
      open.set(source, count)
      if (count === 0) free.push(source)
    }
  }
  const removed = new Set(free)
  return new Set([...links.keys()].filter((id) => !removed.has(id)))
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

/** Labels contain only letters, digits and spaces of the title, so that nothing can end them. */
function mermaidOf(rows: readonly RecordRow[], edges: LineageGraph['edges']): string {
  const drawn = new Set(rows.map((row) => row.id.toLowerCase()))
  const nodes = rows.map((row) => {
    const label = row.title.replace(/[^\p{L}\p{N} ._-]/gu, ' ').slice(0, 40)
    return `  n${shortId(row.id)}["${shortId(row.id)} ${row.status} ${label}"]`
  })
  const arrows = edges
    .filter(({ from, to }) => drawn.has(from) && drawn.has(to))
    .map(({ from, to, relation }) => `  n${shortId(from)} -->|${relation}| n${shortId(to)}`)
  return ['flowchart TD', ...nodes, ...arrows].join('\n')
}
