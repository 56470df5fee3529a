import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import fc from 'fast-check'
import { isSatchelError } from '../../../server/plugin.ts'
import type { EventType } from '../domain/event.ts'
import type { Joined } from '../room/members.ts'
import { openTestRoom, type TestRoom } from './test-room.ts'

/** The room as it should be, in the plainest terms; knows nothing of how the real one works. */
export interface Model {
  version: number
  text: string
  now: number
  fence: number
  proposals: { status: string; base: number; author: number; content: string }[]
  leases: { holder: number; target: string; active: boolean; began: number; ends: number }[]
  handoffs: { status: string; acceptor: number | undefined }[]
}

export interface Real {
  room: TestRoom
  people: Joined[]
  proposals: string[]
  leases: string[]
  handoffs: string[]
}

type Expected = { events: EventType[] } | { reason: string }
export type Step = fc.AsyncCommand<Model, Real>

/** Runs one call at the real room and compares what it emitted or refused. */
export async function compare(real: Real, expected: Expected, call: () => Promise<unknown>): Promise<void> {
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
const SESSION_MINUTES = 8 * HOUR

/** One command, shown under `name` when it fails. */
export function step(
  name: string,
  check: (model: Model) => boolean,
  run: (model: Model, real: Real) => Promise<void>,
): Step {
  return { check, run, toString: () => name }
}

const propose = (who: number, behind: number, content: string, summary: string) =>
  step(
    `propose(${who}, ${behind}, ${content})`,
    () => true,
    async (model, real) => {
      const base = model.version - behind
      const call = async () => {
        const made = await real.room.do(real.people[who] as Joined, 'propose', {
          base_version: base,
          summary,
          content,
        })
        real.proposals.push(made.proposal_id)
      }
      const isNew = content !== model.text
      if (behind !== 0) await compare(real, { reason: 'stale_version' }, call)
      else await compare(real, isNew ? { events: ['proposal.created'] } : { reason: 'no_change' }, call)
      if (behind === 0 && isNew) model.proposals.push({ status: 'pending', base, author: who, content })
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
        own.ends = Math.max(own.ends, Math.min(model.now + minutes, own.began + 2 * HOUR))
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
    (model) => model.now + minutes < SESSION_MINUTES, // the people of the model stay

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
const summary = fc.string({ maxLength: 240, unit: 'grapheme' }).map((words) => `s${words}`) // never blank
/** Every call that changes a room, with what the model says of it. */
export const steps = [
  fc.tuple(person, fc.constantFrom(0, 0, 0, 1), text, summary).map((args) => propose(...args)),
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

/** The status that the newest event of a lease leaves it in. */
export const LEASE_STATUS: Readonly<Record<string, string>> = {
  'lease.acquired': 'active',
  'lease.released': 'released',
  'lease.expired': 'expired',
}

export const START = '# Plan\n\n## Goals\none\n'

/** A person who may everything and an agent come into this room, new if none is given; and the model of it. */
export async function freshRoom(
  t: TestContext,
  given?: TestRoom,
): Promise<{ readonly model: Model; readonly real: Real }> {
  const room = given ?? (await openTestRoom(t, { text: START }))
  const people = [
    await room.join('boss'),
    await room.join('worker', ['read', 'observe', 'propose', 'checkout', 'commit']),
  ]
  const { version, fence } = await room.room.readAsSystem((rows) => ({
    version: rows.document.version,
    fence: Number(rows.one('workspace_get')?.['fence']),
  }))
  return {
    model: { version, text: START, now: 0, fence, proposals: [], leases: [], handoffs: [] },
    real: { room, people, proposals: [], leases: [], handoffs: [] },
  }
}
