import type { ActorChange } from '../../../../plugins/workspace/room/change.ts'
import { commit } from '../../../../plugins/workspace/room/commits.ts'
import {
  acceptHandoff,
  cancelHandoff,
  createHandoff,
  handInResult,
  reviewHandoff,
} from '../../../../plugins/workspace/room/handoffs.ts'
import { checkout, expireLeases, release } from '../../../../plugins/workspace/room/leases.ts'
import { endSession, type Joined, joinLocally, leave } from '../../../../plugins/workspace/room/members.ts'
import { propose, rebase, review, withdraw } from '../../../../plugins/workspace/room/proposals.ts'
import type { Room } from '../../../../plugins/workspace/room/room.ts'
import type { SimulatedDisk } from '../../../../server/platform/testing/simulated-disk.ts'
import type { Chance } from '../../chance.ts'
import { FILE } from '../stage.ts'
import { type RuleBug, withBug } from './rule-bug.ts'
import * as model from './rule-model.ts'

export const AGENT = ['read', 'observe', 'propose', 'checkout', 'commit'] as const
const MOST_MINUTES = 400 // sessions last eight hours

/** What the room was between two calls. */
export interface Boundary {
  /** Disk changes until the call was answered. */
  readonly at: number
  readonly digest: string
  /** Every event until then. */
  readonly events: readonly string[]
}

/** A room at work, and what there should be in it. */
export interface World {
  readonly room: Room
  readonly simulated: SimulatedDisk
  readonly chance: Chance
  readonly bug: RuleBug | undefined
  readonly now: { micros: number }
  readonly model: model.RuleModel
  readonly people: Joined[]
  /** Every event that there should be. */
  readonly events: string[]
  readonly boundaries: Boundary[]
}

export function join(
  { room }: Pick<World, 'room'>,
  name: string,
  capabilities: Joined['capabilities'],
): Promise<Joined> {
  return room.changeAsSystem((change) =>
    joinLocally(change, { name, kind: 'agent', capabilities, audience: 'ingress', transport: 'http' }),
  )
}

/** Acts, and says before or after it what should happen; undefined when there is nothing to act on. */
type Act = (world: World, refusedAs: (outcome: model.Outcome) => void) => Promise<model.Outcome | undefined>

const TARGETS = ['workspace', 'section:A', 'section:B'] as const

/** What people do, by chance. */
export const STEPS: readonly (readonly [string, Act])[] = [
  ['propose', proposing],
  ['propose', proposing],
  ['propose', proposing],
  ['review', reviewing],
  ['review', reviewing],
  ['withdraw', withdrawing],
  ['rebase', rebasing],
  ['commit', committing],
  ['commit', committing],
  ['edit', editing],
  ['checkout', leasing],
  ['checkout', leasing],
  ['release', releasing],
  ['time', passing],
  ['guest', guesting],
  ['handoff', handing],
  ['handoff step', moving],
  ['handoff step', moving],
]

function call<I extends object, T>(
  { room, bug, people }: World,
  who: number,
  input: I,
  work: (change: ActorChange, input: I) => T,
): Promise<Exclude<T, { refused: unknown }>> {
  const session = people[who]?.session_id ?? ''
  return room.change(session, work.name, input, (change, given: I) =>
    work(withBug(change, bug), given),
  ) as Promise<Exclude<T, { refused: unknown }>>
}

function oneOf<T>(chance: Chance, all: readonly T[]): T | undefined {
  return all[chance.below(Math.max(1, all.length))]
}

async function proposing(world: World, refusedAs: (outcome: model.Outcome) => void) {
  const { chance, model: wanted } = world
  const author = chance.below(2)
  const target = TARGETS[chance.below(3)] ?? 'workspace'
  const newest = wanted.versions.length - 1
  const base = chance.maybe(0.2) ? Math.max(1, newest - 1) : newest
  const text = chance.maybe(0.1) ? (wanted.versions[newest]?.a ?? '') : `text ${chance.below(1000)}`
  const asked = { id: '?', target, base, text, author }
  const expected = model.propose({ ...wanted, proposals: [] }, asked)
  if ('reason' in expected) refusedAs(expected)
  const made = await call(
    world,
    author,
    { target, base_version: base, summary: 's', content: model.contentOf(target, text) },
    propose,
  )
  return model.propose(wanted, { ...asked, id: made.proposal_id })
}

async function reviewing(world: World, refusedAs: (outcome: model.Outcome) => void) {
  const proposal = oneOf(world.chance, world.model.proposals.slice(-6))
  if (!proposal) return undefined
  const approve = world.chance.maybe(0.7)
  const outcome = model.review(proposal, approve)
  refusedAs(outcome)
  await call(world, 0, { proposal_id: proposal.id, approve }, review)
  return outcome
}

async function withdrawing(world: World, refusedAs: (outcome: model.Outcome) => void) {
  const proposal = oneOf(world.chance, world.model.proposals.slice(-6))
  if (!proposal) return undefined
  const outcome = model.withdraw(proposal)
  refusedAs(outcome)
  await call(world, proposal.author, { proposal_id: proposal.id }, withdraw)
  return outcome
}

async function rebasing(world: World, refusedAs: (outcome: model.Outcome) => void) {
  const { chance, model: wanted } = world
  const old = oneOf(chance, wanted.proposals.slice(-6))
  if (!old) return undefined
  const author = chance.below(2)
  const expected = model.rebase({ ...wanted, proposals: [] }, old, { id: '?', author })
  if ('reason' in expected) refusedAs(expected)
  const made = await call(world, author, { proposal_id: old.id }, rebase)
  return model.rebase(wanted, old, { id: made.proposal_id, author })
}

async function committing(world: World, refusedAs: (outcome: model.Outcome) => void) {
  const approved = world.model.proposals.filter(({ status }) => status === 'approved')
  const proposal = oneOf(world.chance, approved.length > 0 ? approved : world.model.proposals.slice(-6))
  if (!proposal) return undefined
  const who = world.chance.below(2)
  const outcome = model.commit(world.model, proposal, who)
  refusedAs(outcome)
  await call(world, who, { proposal_id: proposal.id }, commit)
  return outcome
}

async function editing(world: World) {
  const { chance, simulated, room, model: wanted } = world
  const texts = { ...(wanted.versions.at(-1) ?? model.START_TEXTS) }
  const fresh = `theirs ${simulated.changes.length}` // no text comes twice
  if (chance.maybe(0.7)) texts.a = fresh
  else texts.b = fresh
  const { disk } = simulated
  const temp = `${FILE}.${simulated.changes.length}`
  const outcome = model.edit(wanted, texts)
  await disk.create(temp, model.documentOf(texts), 0o644)
  await disk.rename(temp, FILE)
  await disk.syncDirectory('/room')
  await room.look()
  return outcome
}

async function leasing(world: World, refusedAs: (outcome: model.Outcome) => void) {
  const { chance, model: wanted, people } = world
  const who = chance.below(people.length)
  const holder = numberOf(wanted, who)
  const target = TARGETS[chance.below(3)] ?? 'workspace'
  const minutes = 30
  const trial = model.checkout(structuredClone(wanted), { id: '?', target, holder }, minutes)
  if ('reason' in trial) refusedAs(trial)
  const lease = await call(world, who, { target, minutes }, checkout)
  return model.checkout(wanted, { id: lease.lease_id, target, holder }, minutes)
}

/** Guests come and go; the model numbers each. */
function numberOf({ guest }: model.RuleModel, who: number): number {
  return who === 2 ? (guest?.number ?? who) : who
}

async function releasing(world: World, refusedAs: (outcome: model.Outcome) => void) {
  const lease = oneOf(world.chance, world.model.leases.slice(-4))
  if (!lease) return undefined
  const who = world.chance.below(world.people.length)
  const outcome = model.release(lease, numberOf(world.model, who))
  refusedAs(outcome)
  await call(world, who, { lease_id: lease.id }, release)
  return outcome
}

async function passing(world: World) {
  const { chance, now, room, model: wanted, bug } = world
  const minutes = [1, 20, 40][chance.below(3)] ?? 1
  if (wanted.now + minutes > MOST_MINUTES) return undefined
  now.micros += minutes * 60_000_000
  const outcome = model.pass(wanted, minutes)
  await room.changeAsSystem((change) => expireLeases(withBug(change, bug)))
  return outcome
}

async function guesting(world: World) {
  const { chance, model: wanted, people } = world
  if (!wanted.guest) {
    const guest = await join(world, `guest ${world.events.length}`, AGENT)
    people[2] = guest
    wanted.members.push(guest.participant_id)
    wanted.sessions.push(guest.session_id)
    wanted.guest = { id: guest.participant_id, session: guest.session_id, number: world.events.length + 2 }
    return {
      events: [`participant.joined ${guest.participant_id}`, `session.created ${guest.participant_id}`],
    }
  }
  const { session } = wanted.guest
  if (chance.maybe(0.5)) {
    const outcome = model.leave(wanted)
    await call(world, 2, {}, leave)
    people.length = 2
    return outcome
  }
  const outcome = model.endSession(wanted)
  await call(world, 0, { session_id: session }, endSession)
  people.length = 2
  return outcome
}

async function handing(world: World) {
  const made = await call(world, 0, { title: 't', objective: 'o' }, (change: ActorChange, input) =>
    createHandoff(change, input, () => []),
  )
  world.model.handoffs.push({ id: made.handoff_id, status: 'created' })
  return { events: [`handoff.created ${made.handoff_id}`, `task.created ${made.handoff_id}`] }
}

async function moving(world: World, refusedAs: (outcome: model.Outcome) => void) {
  const handoff = oneOf(world.chance, world.model.handoffs.slice(-3))
  if (!handoff) return undefined
  const moves = ['accept', 'result', 'approve', 'reject', 'cancel'] as const
  const fitting = { created: 'accept', accepted: 'result', result_ready: 'approve' }[handoff.status]
  const drawn = moves[world.chance.below(moves.length)] ?? 'accept'
  const move = world.chance.maybe(0.5) ? (moves.find((one) => one === fitting) ?? drawn) : drawn
  const outcome = model.moveHandoff(handoff, move)
  refusedAs(outcome)
  const handoff_id = handoff.id
  if (move === 'accept') await call(world, 1, { handoff_id }, acceptHandoff)
  else if (move === 'result') await call(world, 1, { handoff_id, summary: 's' }, handInResult)
  else if (move === 'cancel') await call(world, 0, { handoff_id }, cancelHandoff)
  else await call(world, 0, { handoff_id, approve: move === 'approve' }, reviewHandoff)
  return outcome
}
