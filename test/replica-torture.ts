import { setTimeout as wait } from 'node:timers/promises'
import { type Answered, askAt } from './replicas.ts'

/** Markers that share a record: its writers wait for one another, and a later one starts small. */
const MARKERS_A_RECORD = 40
/** While nothing answers, the servers that start need the processor. */
const RETRY_MS = 50

/** What the writers were told, and what readers saw meanwhile. */
export interface Story {
  /** Marker -> the record that it was acknowledged in; those of one writer in their order. */
  readonly acknowledged: Map<string, string>
  /** The title of a record -> the ids that its creation was answered with. */
  readonly created: Map<string, Set<string>>
  /** Writes whose outcome was asked for, because their answer was lost. */
  asked: number
  readonly findings: string[]
}

export function emptyStory(): Story {
  return { acknowledged: new Map(), created: new Map(), asked: 0, findings: [] }
}

/** Asks once; undefined where no answer came, or none that tells what happened. */
async function answered(address: string, path: string, body?: unknown, method?: string) {
  const answer = await askAt(address, path, body, method).catch(() => undefined)
  if (answer !== undefined && answer.status < 500) return answer
  await wait(RETRY_MS)
  return undefined
}

/** The record of this title: every writer asks for it by the same key. */
async function recordOf(story: Story, address: string, title: string): Promise<string> {
  for (;;) {
    const body = { title, objective: 'Count', current_state: 'Begun', idempotency_key: title }
    const answer = await answered(address, '/handoffs', body)
    if (answer === undefined || answer.status >= 300) continue
    const ids = story.created.get(title) ?? new Set()
    story.created.set(title, ids.add(answer.json.id))
    return answer.json.id
  }
}

/** Adds a marker; true once it is known to be there. One whose answer was lost is looked for before it is sent again. */
async function append(story: Story, address: string, id: string, marker: string): Promise<boolean> {
  for (let isSent = false; ; ) {
    const found = await answered(address, `/handoffs/${id}`)
    if (found === undefined) continue
    if (found.status === 404) {
      story.findings.push(`${id} was acknowledged and is not found`)
      return false
    }
    if (markersIn(found).includes(marker)) {
      if (!isSent) story.findings.push(`${marker} was there before it was written`)
      story.asked += 1
      return true
    }
    isSent = true
    const body = { if_match: found.json.etag, append: { completed: [marker] } }
    const changed = await answered(address, `/handoffs/${id}`, body, 'PATCH')
    if (changed?.status === 200) return true
  }
}

/**
 * Appends markers to shared records until it is stopped, through an address where servers come and go. A change is made
 * only to the version that was read.
 */
export function startWriter(story: Story, address: string, writer: string) {
  let isOver = false
  const work = (async () => {
    for (let n = 0; !isOver; n++) {
      const marker = `${writer}-${n}`
      const id = await recordOf(story, address, `Record ${Math.floor(n / MARKERS_A_RECORD)}`)
      if (await append(story, address, id, marker)) story.acknowledged.set(marker, id)
    }
  })()
  return {
    async stop() {
      isOver = true
      await work
    },
  }
}

/** Looks at a server for what was acknowledged before; false if it did not answer. */
async function look(story: Story, address: string): Promise<boolean> {
  const [marker, id] = [...story.acknowledged].at(-1) ?? []
  const records = story.created.size
  if (marker === undefined) return false
  const [found, listed] = await Promise.all(
    [`/handoffs/${id}`, '/handoffs?limit=1'].map((path) => answered(address, path)),
  )
  if (found?.status === 404 || (found?.status === 200 && !markersIn(found).includes(marker)))
    story.findings.push(`${marker} was acknowledged and not seen at ${address}`)
  if (listed?.status === 200 && listed.json.total < records)
    story.findings.push(`${records} records were acknowledged and ${listed.json.total} listed`)
  return found?.status === 200
}

/** Reads, at each server in turn, what was acknowledged before it asked; a server that is down is passed over. */
export function startReader(story: Story, addresses: readonly string[]) {
  let isOver = false
  let looks = 0
  const work = (async () => {
    for (let n = 0; !isOver; n++) {
      if (await look(story, addresses[n % addresses.length] ?? '')) looks += 1
      await wait(RETRY_MS)
    }
  })()
  return {
    looks: () => looks,
    async stop() {
      isOver = true
      await work
    },
  }
}

/** What is wrong at a server after everything has ended; `others`: records that no writer of the story made. */
export async function findingsAt(story: Story, address: string, others = 0): Promise<string[]> {
  const findings: string[] = []
  for (const [title, ids] of story.created) {
    if (ids.size !== 1) findings.push(`${title} was created ${ids.size} times: ${[...ids]}`)
    for (const id of ids) {
      const found = await askAt(address, `/handoffs/${id}`)
      const there = found.status === 200 ? markersIn(found) : []
      findings.push(...lostOrTwice(story, id, there), ...outOfOrder(there))
    }
  }
  const { total } = (await askAt(address, '/handoffs?limit=1')).json
  if (total !== story.created.size + others)
    findings.push(`${story.created.size} records were created and ${total} listed`)
  return findings
}

function lostOrTwice(story: Story, id: string, there: readonly string[]): string[] {
  const told = [...story.acknowledged].filter(([, record]) => record === id)
  return told.flatMap(([marker]) => {
    const times = there.filter((each) => each === marker).length
    return times === 1 ? [] : [`${marker} was acknowledged and is there ${times} times`]
  })
}

/** Markers of one writer that are not in the order in which it wrote them. */
function outOfOrder(markers: readonly string[]): string[] {
  const last = new Map<string, number>()
  return markers.flatMap((marker) => {
    const [writer = '', n] = marker.split('-')
    const before = last.get(writer) ?? -1
    last.set(writer, Number(n))
    return Number(n) > before ? [] : [`${marker} follows ${writer}-${before}`]
  })
}

function markersIn({ json }: Answered): string[] {
  return json.record?.summary?.completed ?? []
}
