import assert from 'node:assert/strict'
import { cp } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { temporaryFolder } from '../../../test/harness/index.ts'
import { type Digest, type DigestEntry, tokensOf } from '../domain/digest.ts'
import type { EventType, RoomEvent } from '../domain/event.ts'
import { compare, freshRoom, LEASE_STATUS, type Real, START, step, steps } from '../testing/room-model.ts'
import { openTestRoom, type TestRoom } from '../testing/test-room.ts'
import { changesSince } from './catch-up.ts'
import type { Joined } from './members.ts'
import { eventsAfter } from './views.ts'

const HISTORIES = Number(process.env['HISTORIES'] ?? 25)
const SEED = Number(process.env['SEED'] ?? 20_261_122)

/** One person's way through the history: what they were told so far. */
interface Reader {
  readonly who: number
  cursor: number
  /** Events since the first look, by type. */
  counts: Record<string, number>
  /** Objects by their newest known state. */
  known: Map<string, string>
  /** From here on they were told of everything: where they began, or where a gap made them start over. */
  since: number
}

interface Story {
  /** Every event that was kept when the story began, and every one since. */
  readonly ever: RoomEvent[]
  readonly tally: { answers: number; gaps: number; cuts: number }
}

interface Question {
  readonly since: number
  readonly budget: number
}

const RING = 2000 // spec workspace-events, rule 10

const WHOLE = Number.MAX_SAFE_INTEGER

const budgets = fc.oneof(
  fc.constant(400),
  fc.integer({ min: 400, max: 900 }),
  fc.integer({ min: 400, max: 8000 }),
)

/** The cursor of a request: so far behind the newest event, or so far from the oldest that is kept. */
const cursors = fc.oneof(
  fc.integer({ min: -3, max: 60 }).map((behind) => ({ from: 'newest', by: -behind }) as const),
  fc.integer({ min: -3, max: 3 }).map((by) => ({ from: 'oldest', by }) as const),
)

const comeAndGo = [
  fc.nat({ max: 3 }).map((n) =>
    step(
      `enter(${n})`,
      () => true,
      async (_, real) => {
        const enter = async () => void real.people.push(await real.room.join(`guest-${n}`))
        await compare(real, { events: ['participant.joined', 'session.created'] }, enter)
      },
    ),
  ),
  fc.constant(
    step(
      'leave',
      () => true,
      async (_, real) => {
        const [guest] = real.people.splice(2, 1)
        if (guest)
          await compare(real, { events: ['participant.left'] }, () => real.room.do(guest, 'leave', {}))
      },
    ),
  ),
]

test('a catch-up from any cursor, at any time and within any budget tells all that happened once and in order, or what is missing', async (t) => {
  const aged = await agedFolder(t)
  const tally = { answers: 0, gaps: 0, cuts: 0 }

  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(
        fc.tuple(fc.commands([...steps, ...comeAndGo], { maxCommands: 9 }), fc.nat({ max: 1 }), budgets),
        {
          minLength: 1,
          maxLength: 4,
        },
      ),
      fc.array(fc.tuple(cursors, budgets), { maxLength: 4 }),
      async (isAged, chapters, questions) => {
        const { model, real } = await freshRoom(t, isAged ? await openCopy(t, aged) : undefined)
        const story: Story = { ever: [...(await real.room.events())], tally }
        // One has been here all the time, the other comes with an old cursor, which an aged room no longer knows.
        const readers = [readerFrom(0, ringOf(story)[1]), readerFrom(1, 0)]
        for (const [commands, who, budget] of chapters) {
          await fc.asyncModelRun(() => ({ model, real }), commands)
          await remember(real, story)
          await poll(real, story, readers[who] as Reader, budget)
          for (const [{ from, by }, within] of questions) {
            const [oldest, latest] = ringOf(story)
            const since = Math.max(0, (from === 'newest' ? latest : oldest) + by)
            await ask(real, story, who, { since, budget: within })
          }
        }
        for (const reader of readers) await poll(real, story, reader, 400)
        for (const reader of readers) assertComplete(story, reader)
        await real.room.discard()
      },
    ),
    { numRuns: HISTORIES, seed: SEED, endOnFailure: true },
  )

  t.diagnostic(`seed ${SEED}, ${HISTORIES} histories: ${JSON.stringify(tally)}`)
  if (HISTORIES > 20) assert.ok(tally.gaps > 0 && tally.cuts > 0, JSON.stringify(tally))
})

const readerFrom = (who: number, cursor: number): Reader => ({
  who,
  cursor,
  counts: {},
  known: new Map(),
  since: cursor,
})

const askAs = (real: Real, who: number, { since, budget }: Question): Promise<Digest> =>
  real.room.look(real.people[who] as Joined, (view) =>
    changesSince(view, { since_event_id: since, max_tokens: budget }),
  )

async function remember(real: Real, { ever }: Story): Promise<void> {
  ever.push(...(await real.room.events(ever.at(-1)?.event_id ?? 0)))
}

/** Oldest and newest event that are kept. */
function ringOf({ ever }: Story): readonly [number, number] {
  const latest = ever.at(-1)?.event_id ?? 0
  return [Math.max(1, latest - RING + 1), latest]
}

/** Asks once and holds the answer against the plain fold of all events. */
async function ask(real: Real, story: Story, who: number, question: Question): Promise<Digest> {
  const { since, budget } = question
  const told = await askAs(real, who, question)
  const [oldest, latest] = ringOf(story)
  const isGap = since + 1 < oldest || since > latest
  const kept = story.ever.filter(({ event_id }) => event_id > since && event_id >= oldest)
  story.tally.answers += 1
  story.tally.gaps += Number(isGap)
  story.tally.cuts += Number(told.truncated !== undefined)

  assert.deepEqual(
    [told.from_event_id, told.to_event_id, told.latest_event_id, told.oldest_event_id, told.gap],
    [since, latest, latest, oldest, isGap],
  )
  assert.deepEqual(told.counts, countsOf(kept))
  const version = versionAt(story, latest)
  const from = versionAt(story, since)
  const began = kept.some(({ event_type }) => event_type === 'workspace.created')
  assert.deepEqual(told.version, isGap || began ? { to: version } : { from, to: version })

  const me = (real.people[who] as Joined).participant_id
  const wanted = isGap ? currentObjects(story) : touchedObjects(kept)
  const whole = rankedFor(me, story, wanted)
  await assertKept(real, { told, whole, who, question })
  assert.ok(tokensOf(told) <= budget, `${tokensOf(told)} of ${budget}`)
  return told
}

interface Judged {
  readonly told: Digest
  readonly whole: readonly Seen[]
  readonly who: number
  readonly question: Question
}

/** What is told is the beginning of the whole, as much of it as there is room for; what is left out can be read on. */
async function assertKept(real: Real, { told, whole, who, question }: Judged): Promise<void> {
  const kept = entriesOf(told)
  const count = [...kept.values()].reduce((sum, seen) => sum + seen.length, 0)
  for (const [family, seen] of kept) {
    assert.deepEqual(
      seen,
      whole.slice(0, count).filter((one) => one.family === family),
      family,
    )
  }
  const all = await askAs(real, who, { ...question, budget: WHOLE })
  assert.equal([...entriesOf(all).values()].flat().length, whole.length)
  assert.equal(told.truncated === undefined, tokensOf(all) <= question.budget)
  if (!told.truncated) return assert.equal(count, whole.length)
  const next = whole[count]
  assert.ok(next, 'cut, and yet nothing is left out')
  const more = tokensOf(told) + tokensOf(entryOf(all, next))
  assert.ok(more + COMMAS >= question.budget, `${more} of ${question.budget}: the next would have had room`)
  await assertReadsOn(real, told, who)
}

const COMMAS = 3 // tokens: what separates entries is counted before their places are known

/** The call that an answer names for the rest gives every event of its range once. */
async function assertReadsOn(real: Real, told: Digest, who: number): Promise<void> {
  const { tool, args } = told.truncated?.next ?? { tool: '', args: {} }
  const first = Math.max(
    told.oldest_event_id,
    told.gap && told.from_event_id > told.latest_event_id ? 0 : told.from_event_id + 1,
  )
  const ids: number[] = []
  for (let since = Number(args['since_event_id']); ; ) {
    const { events } = await real.room.look(real.people[who] as Joined, (view) =>
      eventsAfter(view, { since_event_id: since, limit: 200 }),
    )
    ids.push(...events.map(({ event_id }) => event_id))
    const last = events.at(-1)
    if (!last || last.event_id >= told.to_event_id) break
    since = last.event_id
  }
  assert.equal(tool, 'workspace_events')
  assert.deepEqual(
    ids,
    Array.from({ length: told.to_event_id - first + 1 }, (_, n) => first + n),
  )
}

/** One look of a reader who goes on from where the last one ended, and reads on what was cut. */
async function poll(real: Real, story: Story, reader: Reader, budget: number): Promise<void> {
  const told = await ask(real, story, reader.who, { since: reader.cursor, budget })
  if (told.gap) {
    reader.since = told.to_event_id
    reader.known = new Map()
    reader.counts = {}
  } else {
    for (const [type, count] of Object.entries(told.counts)) {
      reader.counts[type] = (reader.counts[type] ?? 0) + count
    }
    const cut = told.truncated ? story.ever.filter(({ event_id }) => event_id > reader.cursor) : []
    for (const { id, status } of touchedObjects(cut)) reader.known.set(id, status)
  }
  for (const seen of entriesOf(told).values()) {
    for (const { id, status } of seen) reader.known.set(id, status)
  }
  reader.cursor = told.to_event_id
}

/** Nothing of the history is missing, and nothing was told twice. */
function assertComplete({ ever }: Story, { since, counts, known }: Reader): void {
  const told = ever.filter(({ event_id }) => event_id > since)
  assert.deepEqual(counts, countsOf(told))
  for (const { id, status } of touchedObjects(told)) assert.equal(known.get(id), status, id)
}

type Family = 'document' | 'proposals' | 'leases' | 'joined' | 'left' | 'handoffs'

interface Seen {
  readonly family: Family
  readonly id: string
  readonly status: string
}

const ID_KEYS = {
  proposal: 'proposal_id',
  lease: 'lease_id',
  participant: 'participant_id',
  handoff: 'handoff_id',
} as const

/** Every object that these events speak of, in the order in which they first do, as the last of them leaves it. */
function objectsOf(events: readonly RoomEvent[]): Map<string, Seen> {
  const found = new Map<string, Seen>()
  for (const { event_type, payload, version } of events) {
    const kind = event_type.slice(0, event_type.indexOf('.'))
    if (kind === 'change') {
      const id = `version-${version}`
      found.set(id, { family: 'document', id, status: '' })
    }
    if (!(kind in ID_KEYS)) continue
    const id = String(payload[ID_KEYS[kind as keyof typeof ID_KEYS]]) // a key of the table, looked up above
    const family = familyOf(event_type)
    const status = LEASE_STATUS[event_type] ?? (kind === 'participant' ? family : String(payload['status']))
    found.set(id, { family, id, status })
  }
  return found
}

function familyOf(eventType: string): Family {
  if (eventType === 'participant.joined') return 'joined'
  if (eventType === 'participant.left') return 'left'
  const kind = eventType.slice(0, eventType.indexOf('.'))
  return kind === 'proposal' ? 'proposals' : kind === 'lease' ? 'leases' : 'handoffs'
}

const touchedObjects = (kept: readonly RoomEvent[]): readonly Seen[] => [...objectsOf(kept).values()]

const OPEN: Readonly<Record<Family, (status: string) => boolean>> = {
  document: () => false,
  proposals: (status) => status === 'pending' || status === 'approved',
  leases: (status) => status === 'active',
  joined: () => true,
  left: () => false,
  handoffs: (status) => ['created', 'accepted', 'result_ready'].includes(status),
}

/** What is open now, and the newest version. */
function currentObjects(story: Story): readonly Seen[] {
  const open = [...objectsOf(story.ever).values()].filter(({ family, status }) => OPEN[family](status))
  const id = `version-${versionAt(story, ringOf(story)[1])}`
  return [{ family: 'document', id, status: '' }, ...open]
}

function versionAt({ ever }: Story, eventId: number): number {
  const before = ever.filter((event) => event.event_id <= eventId && event.event_type === 'change.committed')
  return before.at(-1)?.version ?? 1
}

function countsOf(events: readonly RoomEvent[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { event_type } of events) counts[event_type] = (counts[event_type] ?? 0) + 1
  return counts
}

/** The order of what is kept (design workspace, section 5): handoffs to me, my proposals, pending ones, versions, leases, people, the rest. */
function rankedFor(me: string, { ever }: Story, seen: readonly Seen[]): readonly Seen[] {
  const by = (type: EventType, key: string) =>
    new Set(
      ever.flatMap(({ event_type, actor_id, payload }) =>
        event_type === type && actor_id === me ? [String(payload[key])] : [],
      ),
    )
  const [mine, accepted] = [by('proposal.created', 'proposal_id'), by('handoff.accepted', 'handoff_id')]
  const handoffRank = ({ id }: Seen) => (accepted.has(id) ? 0 : 7)
  const proposalRank = ({ id, status }: Seen) => (mine.has(id) ? 1 : status === 'pending' ? 2 : 6)
  const RANKS: Readonly<Record<Family, (one: Seen) => number>> = {
    handoffs: handoffRank,
    proposals: proposalRank,
    document: () => 3,
    leases: () => 4,
    joined: () => 5,
    left: () => 5,
  }
  const rank = (one: Seen): number => RANKS[one.family](one)
  const newestFirst = seen.filter(({ family }) => family === 'document').reverse()
  const others = seen.filter(({ family }) => family !== 'document')
  return [...newestFirst, ...others].sort((a, b) => rank(a) - rank(b))
}

/** The entries of an answer by their place. */
function entriesOf(told: Digest): ReadonlyMap<Family, readonly Seen[]> {
  const rows = (family: Family, entries: readonly DigestEntry[], key: string, status?: string) =>
    [
      family,
      entries.map((entry) => ({ family, id: String(entry[key]), status: status ?? String(entry['status']) })),
    ] as const
  const versions = told.document.map(({ version }) => ({ id: `version-${version}` }))
  return new Map<Family, readonly Seen[]>([
    rows('document', versions, 'id', ''),
    rows('proposals', told.proposals, 'proposal_id'),
    rows('leases', told.leases, 'lease_id'),
    rows('joined', told.participants.joined, 'participant_id', 'joined'),
    rows('left', told.participants.left, 'participant_id', 'left'),
    rows('handoffs', told.handoffs, 'handoff_id'),
  ])
}

function entryOf(told: Digest, { id }: Seen): DigestEntry | undefined {
  const { joined, left } = told.participants
  const all = [...told.document, ...told.proposals, ...told.leases, ...joined, ...left, ...told.handoffs]
  return all.find((entry) => Object.values(entry).includes(id) || `version-${entry['version']}` === id)
}

/** The folder of a closed room that has forgotten its first events, and in which nothing is open. */
async function agedFolder(t: TestContext): Promise<string> {
  const room = await openTestRoom(t, { text: START })
  const hand = await room.join('hand')
  while ((await room.latest()) < RING + 20) {
    const { lease_id } = await room.do(hand, 'checkout', { target: 'workspace' })
    await room.do(hand, 'release', { lease_id })
  }
  await room.do(hand, 'leave', {})
  await room.close()
  return dirname(room.file)
}

async function openCopy(t: TestContext, folder: string): Promise<TestRoom> {
  const copy = await temporaryFolder(t)
  await cp(folder, copy, { recursive: true })
  return openTestRoom(t, { folder: copy })
}
