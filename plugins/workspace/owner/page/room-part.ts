/** The parts of the page that reload separately. */
export type Part = 'document' | 'proposals' | 'leases' | 'participants' | 'handoffs' | 'invites'

/** The part of the browser's `fetch` that the page uses. */
export type Fetch = (
  path: string,
) => Promise<{ readonly ok: boolean; readonly status: number; json(): Promise<unknown> }>

/** The part that an event family changes; `workspace` appears in the event list only. */
export const PART_OF: Readonly<Record<string, Part>> = {
  change: 'document',
  proposal: 'proposals',
  lease: 'leases',
  participant: 'participants',
  // What is said of a member depends on its sessions, which the page reads with the members.
  session: 'participants',
  handoff: 'handoffs',
  task: 'handoffs',
  invite: 'invites',
}

const PART_PATHS: Readonly<Record<Part, string>> = {
  document: '/workspace/status',
  proposals: '/workspace/proposals?limit=200',
  leases: '/workspace/leases?limit=200',
  participants: '/workspace/participants?limit=200',
  handoffs: '/workspace/handoff_list?limit=200',
  invites: '/workspace/invites?limit=200',
}

/** Lists that are always shown in full; others show the newest page, and more on request. */
const WHOLE: ReadonlySet<Part> = new Set(['leases', 'participants'])

/** What waits is shown however much came after it: the statuses of a list that are read beyond its newest page, and what names a row. */
const WAITING: Readonly<
  Partial<Record<Part, { readonly id: string; readonly statuses: readonly string[] }>>
> = {
  proposals: { id: 'proposal_id', statuses: ['pending', 'approved'] },
  handoffs: { id: 'handoff_id', statuses: ['created', 'accepted', 'result_ready'] },
}

export const ALL_PARTS = Object.keys(PART_PATHS) as Part[]

/** The answer for a part, reduced to what the page's logic uses. */
interface PartAnswer {
  readonly next_cursor?: string
  readonly [key: string]: unknown
}

export type PartRead =
  | { readonly kind: 'read'; readonly answer: PartAnswer }
  | { readonly kind: 'refused'; readonly status: number; readonly reason?: unknown }

/** Parts of which a room with these cursors may tell less than what waits. */
export function cutParts(cursors: Readonly<Partial<Record<Part, string>>> | undefined): readonly Part[] {
  return ALL_PARTS.filter((part) => WAITING[part] && cursors?.[part] !== undefined)
}

/** Loads a part: its first `pages` pages and what waits behind them, as one answer. Errors: those of `fetch`. */
export async function readPart(fetch: Fetch, part: Part, pages: number): Promise<PartRead> {
  const newest = await readList(
    fetch,
    { part, path: PART_PATHS[part] },
    WHOLE.has(part) ? Number.POSITIVE_INFINITY : pages,
  )
  const waiting = WAITING[part]
  if (!waiting || newest.kind === 'refused' || newest.answer.next_cursor === undefined) return newest
  const rows = new Map(rowsOf(newest.answer, part).map((row) => [row[waiting.id], row]))
  for (const status of waiting.statuses) {
    const path = `${PART_PATHS[part]}&status=${status}`
    const found = await readList(fetch, { part, path }, Number.POSITIVE_INFINITY)
    if (found.kind === 'refused') return found
    for (const row of rowsOf(found.answer, part))
      if (!rows.has(row[waiting.id])) rows.set(row[waiting.id], row)
  }
  return { kind: 'read', answer: { ...newest.answer, [part]: [...rows.values()] } }
}

function rowsOf(answer: PartAnswer, part: Part): readonly Readonly<Record<string, unknown>>[] {
  return answer[part] as readonly Readonly<Record<string, unknown>>[] // an answer with a cursor has rows of our own server
}

async function readList(
  fetch: Fetch,
  { part, path }: { readonly part: Part; readonly path: string },
  most: number,
): Promise<PartRead> {
  const rows: unknown[] = []
  let cursor: string | undefined
  for (let read = 1; ; read += 1) {
    const response = await fetch(cursor === undefined ? path : `${path}&cursor=${encodeURIComponent(cursor)}`)
    if (!response.ok) return { kind: 'refused', status: response.status, reason: await reasonOf(response) }
    const answer = (await response.json()) as PartAnswer // the answer of our own server
    const listed = answer[part]
    if (!Array.isArray(listed)) return { kind: 'read', answer }
    rows.push(...listed)
    cursor = answer.next_cursor
    if (cursor === undefined || read >= most) return { kind: 'read', answer: { ...answer, [part]: rows } }
  }
}

/** The reason of a refusal; undefined where the answer is not one of ours. */
export async function reasonOf(answer: { json(): Promise<unknown> }): Promise<unknown> {
  const problem = (await answer.json().catch(() => undefined)) as { readonly reason?: unknown } | undefined
  return problem?.reason
}
