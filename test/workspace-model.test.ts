import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { digest, tokensOf } from '../plugins/workspace/domain/digest.ts'
import { type EventType, makeEvent, type RoomEvent } from '../plugins/workspace/domain/event.ts'
import type { Handoff } from '../plugins/workspace/domain/handoff.ts'
import type { Proposal } from '../plugins/workspace/domain/proposal.ts'
import { changesSince } from '../plugins/workspace/room/catch-up.ts'
import type { Joined } from '../plugins/workspace/room/members.ts'
import { isSatchelError } from '../server/contract/errors.ts'
import { openTestRoom, type TestRoom } from './workspace-fixture.ts'

/** The room as it should be, in the plainest terms; knows nothing of how the real one works. */
interface Model {
  version: number
  text: string
  now: number
  fence: number
  proposals: { status: string; base: number; author: number; content: string }[]
  leases: { holder: number; target: string; active: boolean; began: number; ends: number }[]
  handoffs: { status: string; acceptor: number | undefined }[]
}

interface Real {
  room: TestRoom
  people: Joined[]
  proposals: string[]
  leases: string[]
  handoffs: string[]
}

type Expected = { events: EventType[] } | { reason: string }
type Step = fc.AsyncCommand<Model, Real>

/** Runs one call at the real room and compares what it emitted or refused. */
async function compare(real: Real, expected: Expected, call: () => Promise<unknown>): Promise<void> {
  const before = await real.room.latest()
  let refused: string | undefined
  try {
    await call()
  } catch (thrown) {
    if (!isSatchelError(thrown)) throw thrown
    refused = thrown.reason
  }
  const events = (await real.room.events(before)).map(({ event_type }) => event_type)
  if ('reason' in expected) {
    assert.equal(refused, expected.reason)
    if (expected.reason !== 'stale_version') assert.deepEqual(events, [])
  } else {
    assert.equal(refused, undefined)
    assert.deepEqual(events, expected.events)
  }
}

/** What a new version does to the pending proposals of the model. */
function land(model: Model, text: string): EventType[] {
  model.version += 1
  model.text = text
  const overtaken = model.proposals.filter(({ status }) => status === 'pending')
  for (const proposal of overtaken) proposal.status = 'superseded'
  return overtaken.map(() => 'proposal.superseded')
}

const overlapping = (a: string, b: string) => a === 'workspace' || b === 'workspace' || a === b
const HOUR = 60

function step(
  name: string,
  check: (model: Model) => boolean,
  run: (model: Model, real: Real) => Promise<void>,
): Step {
  return { check, run, toString: () => name }
}

const propose = (who: number, behind: number, content: string) =>
  step(
    `propose(${who}, ${behind}, ${content})`,
    () => true,
    async (model, real) => {
      const base = model.version - behind
      const call = async () => {
        const made = await real.room.do(real.people[who] as Joined, 'propose', {
          base_version: base,
          summary: 's',
          content,
        })
        real.proposals.push(made.proposal_id)
      }
      await compare(real, behind === 0 ? { events: ['proposal.created'] } : { reason: 'stale_version' }, call)
      if (behind === 0) model.proposals.push({ status: 'pending', base, author: who, content })
    },
  )

const review = (which: number, approve: boolean) =>
  step(
    `review(${which}, ${approve})`,
    (model) => model.proposals.length > 0,
    async (model, real) => {
      const at = which % model.proposals.length
      const proposal = model.proposals[at] as Model['proposals'][number]
      const decided = approve ? 'approved' : 'rejected'
      const expected: Expected =
        proposal.status === decided
          ? { events: [] }
          : proposal.status === 'pending'
            ? { events: [`proposal.${decided}` as EventType] }
            : { reason: 'proposal_conflict' }
      await compare(real, expected, () =>
        real.room.do(real.people[0] as Joined, 'review', {
          proposal_id: real.proposals[at] as string,
          approve,
        }),
      )
      if (proposal.status === 'pending') proposal.status = decided
    },
  )

const commitProposal = (which: number, who: number) =>
  step(
    `commit(${which}, ${who})`,
    (model) => model.proposals.length > 0,
    async (model, real) => {
      const at = which % model.proposals.length
      const proposal = model.proposals[at] as Model['proposals'][number]
      const blocked = model.leases.some((lease) => lease.active && lease.holder !== who)
      const call = () =>
        real.room.do(real.people[who] as Joined, 'commit', { proposal_id: real.proposals[at] as string })
      if (proposal.status === 'committed') return compare(real, { events: [] }, call)
      if (proposal.status !== 'approved') return compare(real, { reason: 'proposal_conflict' }, call)
      if (blocked) return compare(real, { reason: 'lease_conflict' }, call)
      if (proposal.base !== model.version) {
        await compare(real, { reason: 'stale_version' }, call)
        assert.equal((await real.room.events()).at(-1)?.event_type, 'proposal.conflicted')
        proposal.status = 'conflicted'
        return
      }
      proposal.status = 'committed'
      const overtaken = land(model, proposal.content)
      await compare(real, { events: ['change.committed', ...overtaken, 'proposal.committed'] }, call)
    },
  )

const externalEdit = (text: string) =>
  step(
    `edit(${text})`,
    (model) => model.text !== text,
    async (model, real) => {
      const overtaken = land(model, text)
      await compare(real, { events: ['change.committed', ...overtaken] }, () => real.room.write(text))
    },
  )

const checkout = (who: number, target: string, minutes: number) =>
  step(
    `checkout(${who}, ${target}, ${minutes})`,
    () => true,
    async (model, real) => {
      const call = async () => {
        const lease = await real.room.do(real.people[who] as Joined, 'checkout', { target, minutes })
        if (!real.leases.includes(lease.lease_id)) real.leases.push(lease.lease_id)
        assert.equal(lease.fence, own ? lease.fence : model.fence + 1)
      }
      const own = model.leases.find(
        (lease) => lease.active && lease.holder === who && lease.target === target,
      )
      if (own) {
        if (own.ends >= own.began + 2 * HOUR) return compare(real, { reason: 'limit_exceeded' }, call)
        own.ends = Math.min(model.now + minutes, own.began + 2 * HOUR)
        return compare(real, { events: ['lease.acquired'] }, call)
      }
      // A version of arbitrary text may have lost the section.
      if (target !== 'workspace' && !model.text.includes('## Goals'))
        return compare(real, { reason: 'invalid_region' }, call)
      if (
        model.leases.some(
          (lease) => lease.active && lease.holder !== who && overlapping(lease.target, target),
        )
      )
        return compare(real, { reason: 'lease_conflict' }, call)
      await compare(real, { events: ['lease.acquired'] }, call)
      model.fence += 1
      model.leases.push({ holder: who, target, active: true, began: model.now, ends: model.now + minutes })
    },
  )

const release = (which: number, who: number) =>
  step(
    `release(${which}, ${who})`,
    (model) => model.leases.length > 0,
    async (model, real) => {
      const at = which % model.leases.length
      const lease = model.leases[at] as Model['leases'][number]
      const call = () =>
        real.room.do(real.people[who] as Joined, 'release', { lease_id: real.leases[at] as string })
      const isAdmin = who === 0
      if (lease.holder !== who && !isAdmin) return compare(real, { reason: 'permission_denied' }, call)
      await compare(real, { events: lease.active ? ['lease.released'] : [] }, call)
      lease.active = false
    },
  )

const passTime = (minutes: number) =>
  step(
    `pass(${minutes})`,
    () => true,
    async (model, real) => {
      model.now += minutes
      real.room.pass(minutes)
      const over = model.leases.filter((lease) => lease.active && lease.ends <= model.now)
      for (const lease of over) lease.active = false
      await compare(real, { events: over.map(() => 'lease.expired') }, () => real.room.room.expire())
    },
  )

const HANDOFF_STEPS = {
  accept: { from: ['created'], to: 'accepted', event: 'handoff.accepted' },
  result: { from: ['accepted'], to: 'result_ready', event: 'handoff.result_ready' },
  approve: { from: ['result_ready'], to: 'approved', event: 'handoff.approved' },
  reject: { from: ['result_ready'], to: 'rejected', event: 'handoff.rejected' },
  cancel: { from: ['created', 'accepted', 'result_ready'], to: 'cancelled', event: 'handoff.cancelled' },
} as const

const openHandoff = () =>
  step(
    'handoff()',
    () => true,
    async (model, real) => {
      await compare(real, { events: ['handoff.created', 'task.created'] }, async () => {
        const made = await real.room.do(real.people[0] as Joined, 'handoff_create', {
          title: 't',
          objective: 'o',
        })
        real.handoffs.push(made.handoff_id)
      })
      model.handoffs.push({ status: 'created', acceptor: undefined })
    },
  )

const moveHandoff = (which: number, move: keyof typeof HANDOFF_STEPS) =>
  step(
    `handoff ${move}(${which})`,
    (model) => model.handoffs.length > 0,
    async (model, real) => {
      const at = which % model.handoffs.length
      const handoff = model.handoffs[at] as Model['handoffs'][number]
      const { from, to, event } = HANDOFF_STEPS[move]
      const handoff_id = real.handoffs[at] as string
      const [boss, worker] = real.people as [Joined, Joined]
      const calls = {
        accept: () => real.room.do(worker, 'handoff_accept', { handoff_id }),
        result: () => real.room.do(worker, 'handoff_result', { handoff_id, summary: 's' }),
        approve: () => real.room.do(boss, 'handoff_review', { handoff_id, approve: true }),
        reject: () => real.room.do(boss, 'handoff_review', { handoff_id, approve: false }),
        cancel: () => real.room.do(boss, 'handoff_cancel', { handoff_id }),
      }
      const isRepeat = handoff.status === to && move !== 'result'
      const isLegal = (from as readonly string[]).includes(handoff.status)
      const expected: Expected = isRepeat
        ? { events: [] }
        : isLegal
          ? { events: [event, 'task.updated'] }
          : { reason: 'handoff_state' }
      await compare(real, expected, calls[move])
      if (isLegal && !isRepeat) handoff.status = to
    },
  )

const small = fc.nat({ max: 20 })
const person = fc.nat({ max: 1 })
const text = fc.constantFrom(
  '# Plan\n\n## Goals\none\n',
  '# Plan\n\n## Goals\ntwo\n',
  'no heading at all\n',
  '',
)
const steps = [
  fc.tuple(person, fc.constantFrom(0, 0, 0, 1), text).map((args) => propose(...args)),
  fc.tuple(small, fc.boolean()).map((args) => review(...args)),
  fc.tuple(small, person).map((args) => commitProposal(...args)),
  text.map(externalEdit),
  fc
    .tuple(person, fc.constantFrom('workspace', 'section:Plan/Goals'), fc.constantFrom(1, 60, 120))
    .map((args) => checkout(...args)),
  fc
    .tuple(person, fc.constantFrom('workspace', 'section:Plan/Goals'), fc.constant(120))
    .map((args) => checkout(...args)),
  fc.tuple(small, person).map((args) => release(...args)),
  fc.constantFrom(1, 30, 90).map(passTime),
  fc.constant(openHandoff()),
  fc
    .tuple(small, fc.constantFrom('accept', 'result', 'approve', 'reject', 'cancel'))
    .map((args) => moveHandoff(...args)),
]

async function freshRoom(t: TestContext): Promise<{ model: Model; real: Real }> {
  const start = '# Plan\n\n## Goals\none\n'
  const room = await openTestRoom(t, { text: start })
  const people = [
    await room.join('boss'),
    await room.join('worker', ['read', 'propose', 'checkout', 'commit']),
  ]
  return {
    model: { version: 1, text: start, now: 0, fence: 0, proposals: [], leases: [], handoffs: [] },
    real: { room, people, proposals: [], leases: [], handoffs: [] },
  }
}

test('any sequence of calls gives the events and refusals of a plain model', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.commands(steps, { maxCommands: 40 }), async (commands) => {
      const { model, real } = await freshRoom(t)
      await fc.asyncModelRun(() => ({ model, real }), commands)
      assert.equal(await real.room.text(), model.text)
    }),
    { numRuns: 40, endOnFailure: true },
  )
})

test('what did I miss equals the fold of the events between, for random histories and cursors', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.commands(steps, { maxCommands: 25 }),
      fc.array(fc.nat({ max: 60 }), { maxLength: 5 }),
      async (commands, cursors) => {
        const { model, real } = await freshRoom(t)
        await fc.asyncModelRun(() => ({ model, real }), commands)
        const events = await real.room.events()
        const latest = events.at(-1)?.event_id ?? 0
        for (const since of [0, latest, ...cursors.map((cursor) => cursor % (latest + 1))]) {
          const told = await real.room.look(real.people[0] as Joined, (view) =>
            changesSince(view, { since_event_id: since, max_tokens: 8000 }),
          )
          assert.deepEqual(summary(told), plainFold(events, since), `since ${since}`)
          assert.deepEqual([told.to_event_id, told.gap, told.truncated], [latest, false, undefined])
        }
      },
    ),
    { numRuns: Number(process.env['HISTORIES'] ?? 20), endOnFailure: true },
  )
})

function summary(told: ReturnType<typeof digest>) {
  const by = (rows: readonly Readonly<Record<string, unknown>>[], key: string) =>
    rows.map((row) => [row[key], row['status']]).sort()
  return {
    counts: { ...told.counts },
    versions: told.document.map(({ version }) => version).sort(),
    proposals: by(told.proposals, 'proposal_id'),
    leases: by(told.leases, 'lease_id'),
    handoffs: by(told.handoffs, 'handoff_id'),
  }
}

const LEASE_STATUS: Readonly<Record<string, string>> = {
  'lease.acquired': 'active',
  'lease.released': 'released',
  'lease.expired': 'expired',
}

/** The same question answered from the events alone. */
function plainFold(events: readonly RoomEvent[], since: number) {
  const counts: Record<string, number> = {}
  const versions: number[] = []
  const proposals = new Map<string, string>()
  const leases = new Map<string, string>()
  const handoffs = new Map<string, string>()
  for (const { event_type, payload, version } of events.filter(({ event_id }) => event_id > since)) {
    counts[event_type] = (counts[event_type] ?? 0) + 1
    const status = String(payload['status'])
    const family = event_type.slice(0, event_type.indexOf('.'))
    if (family === 'change') versions.push(version ?? 0)
    if (family === 'proposal') proposals.set(String(payload['proposal_id']), status)
    if (family === 'lease') leases.set(String(payload['lease_id']), LEASE_STATUS[event_type] ?? '')
    if (family === 'handoff') handoffs.set(String(payload['handoff_id']), status)
  }
  return {
    counts,
    versions: versions.sort(),
    proposals: [...proposals].sort(),
    leases: [...leases].sort(),
    handoffs: [...handoffs].sort(),
  }
}

// --- the digest alone ------------------------------------------------------------------------------------------------

const ME = 'par_me'
const summaries = fc.string({ maxLength: 300, unit: 'grapheme' })
const proposalRow = fc
  .record({ id: fc.uuid(), mine: fc.boolean(), pending: fc.boolean(), summary: summaries })
  .map(
    ({ id, mine, pending, summary: text }): Proposal => ({
      proposal_id: `prop_${id}`,
      participant_id: mine ? ME : 'par_other',
      target: 'workspace',
      base_version: 1,
      base_region_hash: '',
      content_hash: '',
      content_bytes: 0,
      summary: text,
      status: pending ? 'pending' : 'rejected',
      created_at: '',
    }),
  )
const handoffRow = fc.record({ id: fc.uuid(), mine: fc.boolean(), title: summaries }).map(
  ({ id, mine, title }): Handoff => ({
    handoff_id: `ho_${id}`,
    task_id: '',
    from: 'par_other',
    ...(mine && { to: ME }),
    title,
    objective: '',
    base_version: 1,
    has_record: false,
    status: 'created',
    created_at: '',
    updated_at: '',
  }),
)

function eventOf(id: number, type: EventType, payload: RoomEvent['payload']): RoomEvent {
  return makeEvent({ type, payload }, { id, workspaceId: 'ws_1', at: '2026-11-20T13:00:00.000000+00:00' })
}

test('an answer never exceeds its budget, says what it left out, and keeps what matters most first', () => {
  fc.assert(
    fc.property(
      fc.array(proposalRow, { maxLength: 60 }),
      fc.array(handoffRow, { maxLength: 20 }),
      fc.integer({ min: 400, max: 8000 }),
      (proposals, handoffs, budget) => {
        const events = [
          ...proposals.map(({ proposal_id }, n) => eventOf(n + 1, 'proposal.created', { proposal_id })),
          ...handoffs.map(({ handoff_id }, n) =>
            eventOf(proposals.length + n + 1, 'handoff.created', { handoff_id }),
          ),
        ]
        const latest = events.length
        const told = digest(
          {
            since: 0,
            events,
            latest,
            oldest: 1,
            version: 1,
            me: ME,
            versions: [],
            proposals,
            leases: [],
            participants: [],
            handoffs,
          },
          budget,
        )

        assert.ok(tokensOf(told) <= budget, `${tokensOf(told)} of ${budget}`)
        assert.equal((told.counts['proposal.created'] ?? 0) + (told.counts['handoff.created'] ?? 0), latest)
        const complete =
          told.proposals.length === proposals.length && told.handoffs.length === handoffs.length
        assert.equal(told.truncated === undefined, complete)
        const toMe = handoffs.filter(({ to }) => to === ME).length
        if (told.proposals.length > 0) assert.equal(told.handoffs.filter((row) => row['to_me']).length, toMe)
      },
    ),
    { numRuns: Number(process.env['HISTORIES'] ?? 300) },
  )
})

test('nothing new costs at most 120 tokens, and a lost range is the current state, said as a gap', () => {
  const base = { me: ME, version: 7, versions: [], proposals: [], leases: [], participants: [], handoffs: [] }
  const quiet = digest({ ...base, since: 2_000_000, events: [], latest: 2_000_000, oldest: 1_998_001 }, 800)
  const lost = digest({ ...base, since: 5, events: [], latest: 5000, oldest: 3001 }, 800)
  const ahead = digest({ ...base, since: 9000, events: [], latest: 5000, oldest: 3001 }, 800)

  assert.ok(tokensOf(quiet) <= 120, `${tokensOf(quiet)}`)
  assert.deepEqual([quiet.gap, lost.gap, ahead.gap], [false, true, true])
  assert.equal(lost.version.from, undefined)
})
