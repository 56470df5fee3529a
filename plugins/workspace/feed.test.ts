import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import type { Reading } from '../../server/contract/advanced/stream.ts'
import type { CallContext } from '../../server/contract/context.ts'
import { createPump } from '../../server/fanout/pump.ts'
import type { PumpReader } from '../../server/fanout/pump-reader.ts'
import type { RoomAccess } from './connection/room-access.ts'
import type { RoomEvent } from './domain/event.ts'
import { LIMITS } from './domain/limits.ts'
import { createFeed, type Feed, observeStream } from './feed.ts'
import type { Joined } from './room/members.ts'
import { roomView } from './room/views.ts'
import { openTestRoom, type TestRoom } from './testing/test-room.ts'

/** What a listener knows of the room, from events or from a fresh read. */
interface Known {
  version: number
  readonly proposals: Map<string, string>
  readonly leases: Set<string>
  readonly members: Set<string>
}

/** A room whose owner is started again and again, and everything that listeners need of it. */
interface World {
  room: TestRoom
  feed: Feed
  readonly boss: Joined
  readonly pump: ReturnType<typeof createPump>
  /** Newest ids that a fresh read ever named. */
  readonly readAt: Set<number>
  readonly guests: Joined[]
}

async function openWorld(t: TestContext): Promise<World> {
  const world: { room?: TestRoom; feed: Feed } = { feed: createFeed(64) }
  const room = await openTestRoom(t, {
    text: '# Plan\n\n## Goals\none\n\n## Steps\ntwo\n',
    staleness: 'section',
    publish: (news) => world.feed.publish(news),
  })
  const boss = await room.join('boss')
  return Object.assign(world, { room, boss, pump: createPump(), readAt: new Set<number>(), guests: [] })
}

async function freshRead({ room, boss, readAt }: World): Promise<{ known: Known; latest: number }> {
  const seen = await room.look(boss, roomView)
  readAt.add(seen.latest_event_id)
  const known = {
    version: seen.status.version,
    proposals: new Map(seen.proposals.map(({ proposal_id, status }) => [proposal_id, status])),
    leases: new Set(seen.leases.map(({ lease_id }) => lease_id)),
    members: new Set(seen.participants.map(({ participant_id }) => participant_id)),
  }
  return { known, latest: seen.latest_event_id }
}

function fold(known: Known, { event_type, version, payload }: RoomEvent): void {
  const [family, change = ''] = event_type.split('.')
  if (family === 'change' || family === 'workspace') known.version = version ?? known.version
  if (family === 'proposal')
    known.proposals.set(String(payload['proposal_id']), change === 'created' ? 'pending' : change)
  if (event_type === 'lease.acquired') known.leases.add(String(payload['lease_id']))
  else if (family === 'lease') known.leases.delete(String(payload['lease_id']))
  if (event_type === 'participant.joined') known.members.add(String(payload['participant_id']))
  if (event_type === 'participant.left') known.members.delete(String(payload['participant_id']))
}

/** A listener as the page is one: each event once by id, a fresh read at every resync. */
class Listener {
  readonly world: World
  known: Known = { version: 0, proposals: new Map(), leases: new Set(), members: new Set() }
  cursor = 0
  resyncs = 0
  stalled = false
  mustRead = false
  #connection: { reader: PumpReader; end(): void } | undefined

  constructor(world: World) {
    this.world = world
  }

  get connected(): boolean {
    return this.#connection !== undefined
  }

  async connect(): Promise<void> {
    if (this.#connection) return
    const { world } = this
    const session = async () => ({ room: world.room.room, sessionId: world.boss.session_id })
    const access = { session } as unknown as RoomAccess // only what a stream needs of the way to the room
    let onLag = (): Buffer | undefined => undefined
    let last = this.cursor
    const sink = {
      write: (joined: { plain(): Buffer }): boolean => {
        last = this.#take(joined.plain().toString(), last)
        return !this.stalled
      },
      destroy: () => this.disconnect(),
    }
    const reader = world.pump.add({ sink, onLag: () => onLag() })
    reader.hold()
    const inbox = { offer: (frame: Buffer) => reader.offer(frame), end: () => this.disconnect() }
    const stream = observeStream(access, () => world.feed)
    const reading = await stream.open({} as CallContext, String(this.cursor), inbox)
    onLag = reading.onLag
    this.#connection = { reader, end: reading.close }
    for await (const frame of reading.replay) last = this.#take(frame.toString(), last)
    reader.release()
  }

  disconnect(): void {
    this.#connection?.reader.close()
    this.#connection?.end()
    this.#connection = undefined
  }

  readOn(): void {
    this.stalled = false
    this.#connection?.reader.drained()
  }

  async readFresh(): Promise<void> {
    if (!this.mustRead) return
    this.mustRead = false
    const { known, latest } = await freshRead(this.world)
    assert.ok(latest >= this.cursor, 'a fresh read is never older than what was said')
    this.known = known
    this.cursor = latest
  }

  /** Gives the id after which the next one must come. */
  #take(bytes: string, after: number): number {
    let last = after
    for (const block of bytes.split('\n\n').filter((each) => each !== '')) {
      if (block.startsWith('event: resync')) {
        this.resyncs += 1
        this.mustRead = true
        last = 0
        continue
      }
      const event = JSON.parse(/^id: \d+\ndata: (.*)$/.exec(block)?.[1] ?? '') as RoomEvent
      if (last > 0)
        assert.equal(event.event_id, last + 1, 'ordered, unique and reliable: the next id, or a resync')
      last = event.event_id
      if (event.event_id <= this.cursor || this.mustRead) continue
      fold(this.known, event)
      this.cursor = event.event_id
    }
    return last
  }
}

type Step =
  | {
      readonly do:
        | 'propose'
        | 'decide'
        | 'commit'
        | 'lease'
        | 'edit'
        | 'join'
        | 'leave'
        | 'burst'
        | 'restart'
        | 'kill'
    }
  | { readonly do: 'connect' | 'disconnect' | 'stall' | 'read'; readonly who: number }

const LISTENERS = 3
const SETTLED_WITHIN_MS = 60_000
const stepOf: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .constantFrom('propose', 'decide', 'commit', 'lease', 'edit', 'join', 'leave')
      .map((name) => ({ do: name })),
  },
  { weight: 2, arbitrary: fc.constant({ do: 'burst' as const }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('restart' as const, 'kill' as const).map((name) => ({ do: name })),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('connect', 'disconnect', 'stall', 'read'),
      who: fc.nat(LISTENERS - 1),
    }),
  },
)

/** A listener that reads nothing while more happens than its places hold. */
const FALLING_BEHIND: Step[] = [
  { do: 'stall', who: 0 },
  { do: 'burst' },
  { do: 'burst' },
  { do: 'burst' },
  { do: 'read', who: 0 },
]

/** One change of the room; one that is refused changes nothing. */
async function act(world: World, step: Step, salt: number): Promise<void> {
  const { room, boss } = world
  const known = (await freshRead(world)).known
  const withStatus = (wanted: string): string =>
    [...known.proposals].find(([, status]) => status === wanted)?.[0] ?? 'prop_none'
  const target = salt % 2 === 0 ? 'section:Plan/Goals' : 'section:Plan/Steps'
  const heading = salt % 2 === 0 ? 'Goals' : 'Steps'
  const acts: Partial<Record<Step['do'], () => Promise<unknown>>> = {
    propose: () =>
      room.do(boss, 'propose', {
        base_version: known.version,
        target,
        summary: `${salt}`,
        content: `## ${heading}\n${salt}\n`,
      }),
    decide: () => room.do(boss, 'review', { proposal_id: withStatus('pending'), approve: salt % 4 !== 0 }),
    commit: () => room.do(boss, 'commit', { proposal_id: withStatus('approved') }),
    lease: () =>
      known.leases.size > 0
        ? room.do(boss, 'release', { lease_id: [...known.leases][0] ?? '' })
        : room.do(boss, 'checkout', { target }),
    edit: () => room.write(`# Plan\n\n## Goals\nby hand ${salt}\n\n## Steps\ntwo\n`),
    join: async () => world.guests.push(await room.join(`guest-${salt}`)),
    leave: async () => {
      const guest = world.guests.pop()
      if (guest) await room.do(guest, 'leave', {})
    },
    // More in one turn than a listener's 64 places hold.
    burst: () =>
      Promise.all(
        Array.from({ length: 70 }, () => room.do(boss, 'checkout', { target: 'section:Plan/Goals' })),
      ),
    restart: () => restart(world, 'clean'),
    kill: () => restart(world, 'killed'),
  }
  await acts[step.do]?.().catch((thrown: { code?: string }) => {
    assert.ok(
      ['conflict', 'not_found', 'invalid', 'rate_limited'].includes(String(thrown.code)),
      String(thrown),
    )
  })
}

/** Every listener of a room loses its stream when the owner ends; the next owner has no listener. */
async function restart(world: World, how: 'clean' | 'killed'): Promise<void> {
  world.feed.endAll()
  world.feed = createFeed(64)
  world.room = await world.room.reopen(how)
}

async function settle(world: World, listeners: readonly Listener[]): Promise<void> {
  for (const listener of listeners) {
    listener.readOn()
    await listener.connect()
  }
  const { known, latest } = await freshRead(world)
  const isBehind = ({ mustRead, cursor }: Listener): boolean => mustRead || cursor !== latest
  const late = performance.now() + SETTLED_WITHIN_MS
  // A few turns in any case, for what should not come.
  for (let turns = 0; turns < 6 || (listeners.some(isBehind) && performance.now() < late); turns += 1) {
    await nextTurn()
    for (const listener of listeners) await listener.readFresh()
  }
  for (const listener of listeners) {
    assert.equal(listener.cursor, latest)
    assert.deepEqual(
      [listener.known.version, listener.known.leases, listener.known.members],
      [known.version, known.leases, known.members],
    )
    for (const [id, status] of known.proposals) assert.equal(listener.known.proposals.get(id), status)
  }
}

/** A commit's events are adjacent: no fresh read ever ended between them. */
async function assertAtomic(world: World): Promise<void> {
  const events = await world.room.events()
  for (const [at, event] of events.entries()) {
    const next = events[at + 1]?.event_type
    const goesOn =
      (event.event_type === 'participant.joined' && next === 'session.created') ||
      (event.event_type === 'change.committed' && event.payload['proposal_id'] !== undefined) ||
      (next === 'proposal.superseded' && /^(change|proposal\.superseded)/.test(event.event_type))
    if (goesOn)
      assert.ok(!world.readAt.has(event.event_id), `a read ended inside the change at ${event.event_id}`)
  }
}

async function takeStep(listener: Listener | undefined, step: string): Promise<void> {
  if (step === 'connect') await listener?.connect()
  if (step === 'disconnect') listener?.disconnect()
  if (step === 'stall' && listener) listener.stalled = true
  if (step === 'read') listener?.readOn()
}

test('through commits, cuts, stalls and restarts: events come ordered, once and without a hole, or a resync says so, and every listener ends with what a fresh read shows', async (t) => {
  let resyncs = 0
  await fc.assert(
    fc.asyncProperty(fc.array(stepOf, { minLength: 40, maxLength: 80, size: 'max' }), async (steps) => {
      const world = await openWorld(t)
      const listeners = Array.from({ length: LISTENERS }, () => new Listener(world))
      for (const listener of listeners) await listener.connect()
      for (const [at, step] of steps.entries()) {
        if ('who' in step) await takeStep(listeners[step.who], step.do)
        else await act(world, step, at)
        await nextTurn()
        for (const listener of listeners) await listener.readFresh()
      }
      await settle(world, listeners)
      await assertAtomic(world)
      for (const listener of listeners) {
        resyncs += listener.resyncs
        listener.disconnect()
      }
      assert.deepEqual([world.feed.size, world.pump.size], [0, 0], 'no reader is left')
    }),
    { numRuns: Number(process.env['RUNS'] ?? 12), endOnFailure: true, examples: [[FALLING_BEHIND]] },
  )
  t.diagnostic(`${resyncs} resyncs`)
  assert.ok(resyncs > 0, 'some fell behind')
})

test('a listener that stayed away for more than 2000 events is told of the gap and ends with what a fresh read shows', async (t) => {
  const world = await openWorld(t)
  const [away, stayed] = [new Listener(world), new Listener(world)] as const
  await away.connect()
  await stayed.connect()
  await nextTurn()
  away.disconnect()

  for (let done = 0; done <= LIMITS.eventsKept; done += 50) {
    await Promise.all(
      Array.from({ length: 50 }, () => world.room.do(world.boss, 'checkout', { target: 'workspace' })),
    )
    await nextTurn()
  }
  await settle(world, [away, stayed])

  assert.deepEqual([away.resyncs, stayed.resyncs], [1, 0])
})

/** What the process holds on to, garbage collected first. */
function liveBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  for (let pass = 0; pass < 3; pass += 1) collect()
  return process.memoryUsage().heapUsed
}

test('a listener that stays keeps nothing of the history it was sent', async (t) => {
  const { room, feed, boss } = await openWorld(t)
  for (let done = 0; done <= LIMITS.eventsKept; done += 50) {
    await Promise.all(Array.from({ length: 50 }, () => room.do(boss, 'checkout', { target: 'workspace' })))
  }
  const access = {
    session: async () => ({ room: room.room, sessionId: boss.session_id }),
  } as unknown as RoomAccess // only what a stream needs of the way to the room
  const stream = observeStream(access, () => feed)
  const readings: Reading[] = []
  let sent = 0
  const listen = async (): Promise<void> => {
    const reading = await stream.open({} as CallContext, '0', { offer() {}, end() {} })
    readings.push(reading)
    for await (const frame of reading.replay) sent += frame.length
  }
  await listen() // what only the first one costs
  const before = liveBytes()

  for (let count = 0; count < 30; count += 1) await listen()
  const kept = (liveBytes() - before) / 30

  for (const { close } of readings) close()
  assert.ok(sent / readings.length > 100 * LIMITS.eventsKept, `${sent} bytes`)
  // Coverage and the collector's own pace add some; the history would add all of it.
  assert.ok(kept < sent / readings.length / 4, `${Math.round(kept)} bytes a listener`)
})
