import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { temporaryFolder } from './harness/index.ts'
import { BUILT, ownerPid, type RoomProcess, spawnRoomProcess } from './workspace-process.ts'

/** Kills in all; the long proofs raise it. */
const KILLS = Number(process.env['SATCHEL_KILLS'] ?? 3)
/** A room has 32 sessions, and those of killed processes last two minutes: then another room is used. */
const KILLS_PER_ROOM = 8
/** Processes at a time; the long proofs have the twenty of the design. */
const BRIDGES = Number(process.env['SATCHEL_BRIDGES'] ?? 16)
const FIRST_SUCCESS_MS = 2000 // design workspace, section 9
/** Starting and joining costs a process about as much as taking over: where it takes longer than half a second, the machine is short of time. */
const STARTS = 4
/** Between two calls of one agent: about thirty a second in all, so that what is measured is not the agents. */
const PACE_MS = 500
/** Threads of V8 cost each of so many processes more than they save it. */
const PROGRAM = ['--v8-pool-size=0', ...BUILT]

interface Writer {
  readonly client: RoomProcess
  /** Summaries that were sent, and those that were acknowledged. */
  readonly sent: string[]
  readonly acknowledged: string[]
  readonly refused: { readonly at: number; readonly answer: unknown }[]
  /** When each success was answered. */
  readonly succeededAt: number[]
  readonly stopped: Promise<void>
  stop(): void
}

/** Proposes and takes back, as a busy agent does. */
function startWriter(client: RoomProcess): Writer {
  const sent: string[] = []
  const acknowledged: string[] = []
  const refused: { at: number; answer: unknown }[] = []
  const succeededAt: number[] = []
  let going = true
  const run = async (): Promise<void> => {
    for (let n = 0; going; n += 1) {
      const summary = `${client.name}/${n}`
      sent.push(summary)
      const answer = await client.call('workspace_propose', { base_version: 1, summary, content: 'c' })
      const { proposal_id } = answer
      if (typeof proposal_id === 'string') {
        acknowledged.push(summary)
        succeededAt.push(performance.now())
      } else refused.push({ at: performance.now(), answer })
      await pause(PACE_MS)
      if (typeof proposal_id === 'string') await client.call('workspace_withdraw', { proposal_id })
      await pause(PACE_MS)
    }
  }
  return {
    client,
    sent,
    acknowledged,
    refused,
    succeededAt,
    stopped: run(),
    stop: () => {
      going = false
    },
  }
}

const SOCKETS = '/proc/net/unix'

/** How many processes accept in this folder, as the kernel sees it: it names a socket as it was bound, before its renaming. */
function listenersIn(folder: string): number {
  const accepting = '00010000' // __SO_ACCEPTCON
  return readFileSync(SOCKETS, 'latin1')
    .split('\n')
    .filter((line) => line.includes(` ${folder}/`) && line.split(' ')[3] === accepting).length
}

async function startedEvents(client: RoomProcess): Promise<{ started: number; contiguous: boolean }> {
  const ids: number[] = []
  let started = 0
  for (let since = 0; ; since = ids.at(-1) ?? 0) {
    const { events, latest_event_id } = (await client.call('workspace_events', {
      since_event_id: since,
      limit: 200,
    })) as { events: { event_id: number; event_type: string }[]; latest_event_id: number }
    for (const { event_id, event_type } of events) {
      ids.push(event_id)
      if (event_type === 'workspace.started') started += 1
    }
    if (events.length === 0 || (ids.at(-1) ?? 0) >= latest_event_id) break
  }
  return { started, contiguous: ids.every((id, at) => at === 0 || id === (ids[at - 1] ?? 0) + 1) }
}

async function storedSummaries(client: RoomProcess): Promise<string[]> {
  const found: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = (await client.call('workspace_proposals', { limit: 200, ...(cursor && { cursor }) })) as {
      proposals: { summary: string }[]
      next_cursor?: string
    }
    found.push(...page.proposals.map(({ summary }) => summary))
    cursor = page.next_cursor
    if (cursor === undefined) return found
  }
}

async function startMs(start: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await start()
  return performance.now() - began
}

/** Milliseconds from a kill until the first and the last survivor succeeded, and the longer start of an agent before or after. */
interface Took {
  readonly first: number
  readonly last: number
  readonly start: number
}

/** Kills owners of one room under busy bridges, then looks whether anything was lost, done twice or invented. */
async function killOwners(t: TestContext, kills: number): Promise<Took[]> {
  const all = new Set<Writer>()
  const clients: RoomProcess[] = []
  // Before the folder goes: who is alive would make it again.
  t.after(() => {
    for (const { stop } of all) stop()
    for (const { child } of clients) child.kill('SIGKILL')
  })
  const folder = await temporaryFolder(t)
  const file = join(folder, 'plan.md')
  const sidecar = join(folder, '.plan.md.satchel')
  await writeFile(file, '# Plan\n')
  let born = 0
  const bear = async (): Promise<RoomProcess> => {
    born += 1
    const client = spawnRoomProcess(t, {
      name: `agent-${born}`,
      args: ['--room', file, '--profile', 'full'],
      program: PROGRAM,
    })
    clients.push(client)
    await client.call('workspace_status', {})
    return client
  }
  const begin = (client: RoomProcess): Writer => {
    const writer = startWriter(client)
    all.add(writer)
    return writer
  }
  await bear() // the owner; the others share what processor there is
  await Promise.all(Array.from({ length: BRIDGES - 1 }, bear))
  let start = await startMs(bear)
  const writers = new Set(clients.map(begin))
  let mostListeners = 0
  const look = (): void => {
    mostListeners = Math.max(mostListeners, listenersIn(sidecar))
  }
  const watch = existsSync(SOCKETS) ? setInterval(look, 5) : undefined
  t.after(() => clearInterval(watch))

  const took: Took[] = []
  for (let kill = 0; kill < kills; kill += 1) {
    await pause(300)
    const pid = ownerPid(sidecar)
    const victim = [...writers].find(({ client }) => client.child.pid === pid)
    assert.ok(victim, 'the owner is one of the processes')
    victim.stop()
    writers.delete(victim)
    const killedAt = performance.now()
    victim.client.child.kill('SIGKILL')
    await once(victim.client.child, 'exit')
    const goneAt = performance.now()
    const firstAfter = ({ succeededAt }: Writer): number | undefined => succeededAt.find((at) => at > goneAt)
    while ([...writers].some((writer) => firstAfter(writer) === undefined)) {
      const late = [...writers].filter((writer) => firstAfter(writer) === undefined)
      assert.ok(
        performance.now() - killedAt < 60_000,
        `never went on: ${JSON.stringify(late.map(({ client, refused }) => [client.name, refused.at(-1)?.answer]))}`,
      )
      await pause(10)
    }
    const times = [...writers].map((writer) => (firstAfter(writer) ?? 0) - killedAt)
    for (const { client, refused } of writers) {
      const failed = refused.filter(({ at }) => at > killedAt)
      assert.ok(failed.length <= 1, `${client.name}: ${JSON.stringify(failed)}`)
    }
    const before = start
    start = await startMs(async () => writers.add(begin(await bear())))
    took.push({ first: Math.min(...times), last: Math.max(...times), start: Math.max(before, start) })
  }
  for (const writer of writers) writer.stop()
  await Promise.all([...writers].map(({ stopped }) => stopped))
  clearInterval(watch)

  const [{ client }] = [...writers] as [Writer]
  const stored = await storedSummaries(client)
  const kept = new Set(stored)
  assert.equal(kept.size, stored.length, 'nothing happened twice')
  for (const { acknowledged, sent } of all) {
    assert.deepEqual(
      acknowledged.filter((summary) => !kept.has(summary)),
      [],
      'what was acknowledged is kept',
    )
    for (const summary of sent) kept.delete(summary)
  }
  assert.deepEqual([...kept], [], 'nothing that was not sent')
  if (watch) assert.equal(mostListeners, 1, 'concurrent engines')
  const { started, contiguous } = await startedEvents(client)
  assert.ok(contiguous, 'one history')
  assert.ok(started <= kills + 1, `${started} engines for ${kills} kills`)
  for (const { client: each } of writers) each.child.kill('SIGKILL')
  return took
}

test(`the owner killed ${KILLS} times under ${BRIDGES} busy bridges: the room and all bridges go on within two seconds, nothing acknowledged is lost or done twice, and there is never a second owner`, async (t) => {
  const took: Took[] = []
  for (let left = KILLS; left > 0; left -= KILLS_PER_ROOM)
    took.push(...(await killOwners(t, Math.min(left, KILLS_PER_ROOM))))

  const firsts = took.map(({ first }) => Math.round(first))
  t.diagnostic(`ms from the kill to the first success: ${firsts.join(' ')}`)
  t.diagnostic(`to the last survivor's: ${took.map(({ last }) => Math.round(last)).join(' ')}`)
  t.diagnostic(
    `to start one more agent before or after: ${took.map(({ start }) => Math.round(start)).join(' ')}`,
  )
  for (const { first, start } of took)
    assert.ok(first < Math.max(FIRST_SUCCESS_MS, STARTS * start), `${Math.round(first)} ms`)
})
