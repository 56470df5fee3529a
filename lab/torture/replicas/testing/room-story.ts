import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Replica } from '../../../../test/replicas.ts'
import { callRoom, type RoomAnswer, readEvents } from '../../../../test/room-replicas.ts'

/** What the callers of a room were told, at the servers where they reached it. */
export interface RoomStory {
  /** Lines of which the commit was acknowledged, in their order. */
  readonly committed: string[]
  /** Events as readers saw them, by their id. */
  readonly seen: Map<number, string>
  /** Streams that readers opened. */
  opened: number
  readonly findings: string[]
}

export interface RoomStage {
  readonly t: TestContext
  readonly replicas: readonly Replica[]
  readonly token: string
}

const RETRY_MS = 20
/** As a client that gives up a server which does not answer, and asks another one. */
const PATIENCE_MS = 12_000
/** How long a reader stays at a server at most. */
const STAY_MS = 800
/** Between two commits, so that the processor is for what starts. */
const PAUSE_MS = 100

export function emptyRoomStory(): RoomStory {
  return { committed: [], seen: new Map(), opened: 0, findings: [] }
}

/** Undefined where no answer came, or none that tells what happened. */
async function answered(ask: () => Promise<RoomAnswer>): Promise<RoomAnswer | undefined> {
  const answer = await ask().catch(() => undefined)
  // 408: a server that hung for a minute did not read the request.
  if (answer !== undefined && answer.status < 500 && answer.status !== 408) return answer
  await wait(RETRY_MS)
  return undefined
}

/**
 * The only writer of the document: commits one line after another, each at the next server. A commit without an answer is sent
 * again with its key, so that it happens once.
 */
export function startRoomWriter(story: RoomStory, { replicas, token }: RoomStage) {
  let isOver = false
  let at = 0
  const next = (): string => replicas[at++ % replicas.length]?.address ?? ''
  const commit = async (n: number): Promise<void> => {
    const line = `line ${n}`
    const body = {
      base_version: n,
      content: `# Plan\n\n${line}\n`,
      summary: line,
      idempotency_key: `torture-${n}`,
    }
    for (;;) {
      const answer = await answered(() =>
        callRoom(next(), 'POST', '/workspace/commit', {
          token,
          body,
          signal: AbortSignal.timeout(PATIENCE_MS),
        }),
      )
      if (answer?.status === 200) return void story.committed.push(line)
      if (answer !== undefined)
        return void story.findings.push(`${line}: ${answer.status} ${JSON.stringify(answer.json)}`)
    }
  }
  const work = (async () => {
    for (let n = 1; !isOver && story.findings.length === 0; n++) {
      await commit(n)
      await wait(PAUSE_MS)
    }
  })()
  return {
    async stop() {
      isOver = true
      await work
    },
  }
}

/** Follows the events by their ids, at each server in turn; a server that does not answer is passed over. */
export function startRoomReader(story: RoomStory, { t, replicas, token }: RoomStage, first: number) {
  let isOver = false
  let cursor = 0
  const take = (id: number, event: string): void => {
    if (id <= cursor) return // told again, which a reader ignores
    if (id !== cursor + 1) story.findings.push(`event ${id} was told after event ${cursor}`)
    const before = story.seen.get(id)
    if (before !== undefined && before !== event) story.findings.push(`event ${id} was told as two`)
    story.seen.set(id, event)
    cursor = id
  }
  const stay = async (replica: Replica): Promise<void> => {
    const stream = await Promise.race([readEvents(t, replica, token, cursor), wait(PATIENCE_MS)])
    if (!stream) return
    if (stream.status !== 200) return void (await wait(RETRY_MS))
    story.opened += 1
    await Promise.race([stream.ended, wait(STAY_MS)])
    stream.stop()
    await stream.ended
    for (const event of stream.events) take(event.event_id, JSON.stringify(event))
    if (stream.told.length > 0) story.findings.push(`a reader at ${cursor} was told that it missed events`)
  }
  const work = (async () => {
    for (let n = first; !isOver && story.findings.length === 0; n++) {
      const replica = replicas[n % replicas.length]
      if (replica) await stay(replica).catch(() => wait(RETRY_MS))
    }
  })()
  return {
    async stop() {
      isOver = true
      await work
    },
  }
}

/** What is wrong with the room at a server after everything has ended. */
export async function roomFindingsAt(
  story: RoomStory,
  { address }: Replica,
  token: string,
): Promise<string[]> {
  const findings: string[] = []
  const { json } = await callRoom(address, 'GET', '/workspace/read', { token })
  const last = story.committed.at(-1)
  if (json.version !== story.committed.length + 1)
    findings.push(`${story.committed.length} commits were acknowledged, and the version is ${json.version}`)
  if (last !== undefined && json.content !== `# Plan\n\n${last}\n`) findings.push(`${last} is not the text`)
  for (let since = 0; ; ) {
    const page = await callRoom(address, 'GET', `/workspace/events?since_event_id=${since}&limit=200`, {
      token,
    })
    const events: { event_id: number }[] = page.json.events
    for (const event of events) {
      const seen = story.seen.get(event.event_id)
      if (seen !== undefined && seen !== JSON.stringify(event))
        findings.push(`event ${event.event_id} changed`)
    }
    since = events.at(-1)?.event_id ?? since
    if (events.length === 0) return findings
  }
}
