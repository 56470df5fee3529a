/**
 * The room as the taxonomy of its events describes it, in the plainest terms. It knows nothing of how the real one works:
 * each function says which events a call gives, in order, or with which reason it is refused.
 */
export type Outcome =
  | { readonly events: readonly string[] }
  | { readonly reason: string; readonly events?: readonly string[] }

export type Target = 'workspace' | 'section:A' | 'section:B'

interface Proposal {
  readonly id: string
  readonly target: Target
  readonly base: number
  readonly text: string
  /** Of a rebased proposal for the whole document: the sections may differ. */
  readonly texts?: Texts
  readonly author: number
  status: string
}

interface Texts {
  readonly a: string
  readonly b: string
}

interface Lease {
  readonly id: string
  readonly target: Target
  readonly holder: number
  readonly began: number
  ends: number
  status: string
}

/** What the room should be. People are 0 the owner, 1 an agent, and each guest a higher number. */
export interface RuleModel {
  now: number
  fence: number
  /** Texts of the two sections, by version; the first is not used. */
  readonly versions: { readonly a: string; readonly b: string }[]
  readonly proposals: Proposal[]
  readonly leases: Lease[]
  readonly handoffs: { readonly id: string; status: string }[]
  /** Ids of those who have not left, and of the sessions in use. */
  readonly members: string[]
  readonly sessions: string[]
  guest: { readonly id: string; readonly session: string; readonly number: number } | undefined
}

export const START_TEXTS = { a: 'one', b: 'one' }

export function documentOf({ a, b }: { readonly a: string; readonly b: string }): string {
  return `${sectionOf('section:A', a)}${sectionOf('section:B', b)}`
}

function sectionOf(target: Target, text: string): string {
  return target === 'section:A' ? `# A\n${text}\n\n` : `# B\n${text}\n`
}

export function newModel(): RuleModel {
  const versions = [START_TEXTS, START_TEXTS]
  return {
    now: 0,
    fence: 0,
    versions,
    proposals: [],
    leases: [],
    handoffs: [],
    members: [],
    sessions: [],
    guest: undefined,
  }
}

const newest = ({ versions }: RuleModel): number => versions.length - 1
const at = ({ versions }: RuleModel, version: number) => versions[version] ?? START_TEXTS

/** What of a version a target means. */
function span(model: RuleModel, version: number, target: Target): string {
  const texts = at(model, version)
  return target === 'workspace' ? documentOf(texts) : target === 'section:A' ? texts.a : texts.b
}

function isCurrent(model: RuleModel, { base, target }: Pick<Proposal, 'base' | 'target'>): boolean {
  if (base === newest(model)) return true
  return target !== 'workspace' && span(model, base, target) === span(model, newest(model), target)
}

export function contentOf(target: Target, text: string): string {
  return target === 'workspace' ? documentOf({ a: text, b: text }) : sectionOf(target, text)
}

export function propose(model: RuleModel, asked: Omit<Proposal, 'status'>): Outcome {
  if (!isCurrent(model, asked)) return { reason: 'stale_version' }
  const texts = at(model, newest(model))
  const same =
    asked.target === 'workspace'
      ? texts.a === asked.text && texts.b === asked.text
      : span(model, newest(model), asked.target) === asked.text
  if (same) return { reason: 'no_change' }
  model.proposals.push({ ...asked, status: 'pending' })
  return { events: [`proposal.created ${asked.id}`] }
}

export function review(proposal: Proposal, approve: boolean): Outcome {
  const decided = approve ? 'approved' : 'rejected'
  if (proposal.status === decided || (proposal.status === 'withdrawn' && !approve)) return { events: [] }
  if (proposal.status !== 'pending') return { reason: 'proposal_conflict' }
  proposal.status = decided
  return { events: [`proposal.${decided} ${proposal.id}`] }
}

export function withdraw(proposal: Proposal): Outcome {
  if (proposal.status === 'withdrawn') return { events: [] }
  if (proposal.status !== 'pending') return { reason: 'proposal_conflict' }
  proposal.status = 'withdrawn'
  return { events: [`proposal.rejected ${proposal.id}`] }
}

export function commit(model: RuleModel, proposal: Proposal, who: number): Outcome {
  if (proposal.status === 'committed') return { events: [] }
  if (proposal.status !== 'approved') return { reason: 'proposal_conflict' }
  if (blocked(model, who, proposal.target)) return { reason: 'lease_conflict' }
  if (!isCurrent(model, proposal)) {
    proposal.status = 'conflicted'
    return { reason: 'stale_version', events: [`proposal.conflicted ${proposal.id}`] }
  }
  const { a, b } = at(model, newest(model))
  const wanted = textsOf(proposal)
  const { target } = proposal
  const events = land(model, {
    a: target === 'section:B' ? a : wanted.a,
    b: target === 'section:A' ? b : wanted.b,
  })
  proposal.status = 'committed'
  return { events: [...events, `proposal.committed ${proposal.id}`] }
}

function textsOf({ text, texts }: Proposal): Texts {
  return texts ?? { a: text, b: text }
}

/** A new proposal of `id` and `author` with the change of an old one in any state. */
export function rebase(
  model: RuleModel,
  old: Proposal,
  made: { readonly id: string; readonly author: number },
): Outcome {
  const [base, now, wanted] = [at(model, old.base), at(model, newest(model)), textsOf(old)]
  const a = old.target === 'section:B' ? now.a : merged(base.a, now.a, wanted.a)
  const b = old.target === 'section:A' ? now.b : merged(base.b, now.b, wanted.b)
  if (a === undefined || b === undefined) return { reason: 'merge_conflict' }
  if (a === now.a && b === now.b) return { reason: 'no_change' }
  const text = old.target === 'section:B' ? b : a
  const { target } = old
  model.proposals.push({ ...made, target, text, texts: { a, b }, base: newest(model), status: 'pending' })
  return { events: [`proposal.created ${made.id}`] }
}

/** A section is one line, so both may not have changed it. */
function merged(base: string, now: string, wanted: string): string | undefined {
  if (now === wanted || base === wanted) return now
  return now === base ? wanted : undefined
}

export function edit(model: RuleModel, texts: { readonly a: string; readonly b: string }): Outcome {
  return { events: land(model, texts) }
}

function land(model: RuleModel, texts: { readonly a: string; readonly b: string }): readonly string[] {
  model.versions.push(texts)
  const overtaken = model.proposals.filter((one) => one.status === 'pending' && !isCurrent(model, one))
  for (const one of overtaken) one.status = 'superseded'
  return [`change.committed v${newest(model)}`, ...overtaken.map(({ id }) => `proposal.superseded ${id}`)]
}

const overlap = (a: Target, b: Target): boolean => a === 'workspace' || b === 'workspace' || a === b

function blocked({ leases }: RuleModel, who: number, target: Target): boolean {
  return leases.some((one) => one.status === 'active' && one.holder !== who && overlap(one.target, target))
}

const LEASE_MAX = 120

export function checkout(
  model: RuleModel,
  asked: Pick<Lease, 'id' | 'target' | 'holder'>,
  minutes: number,
): Outcome {
  const { target, holder, id } = asked
  const own = model.leases.find(
    (one) => one.status === 'active' && one.holder === holder && one.target === target,
  )
  if (own && own.ends >= own.began + LEASE_MAX) return { reason: 'limit_exceeded' }
  if (own) {
    own.ends = Math.max(own.ends, Math.min(model.now + minutes, own.began + LEASE_MAX))
    return { events: [`lease.acquired ${own.id}`] }
  }
  if (blocked(model, holder, target)) return { reason: 'lease_conflict' }
  model.fence += 1
  model.leases.push({ ...asked, began: model.now, ends: model.now + minutes, status: 'active' })
  return { events: [`lease.acquired ${id}`] }
}

export function release(lease: Lease, who: number): Outcome {
  if (lease.holder !== who && who !== 0) return { reason: 'permission_denied' }
  if (lease.status !== 'active') return { events: [] }
  lease.status = 'released'
  return { events: [`lease.released ${lease.id}`] }
}

export function pass(model: RuleModel, minutes: number): Outcome {
  model.now += minutes
  const over = model.leases.filter((one) => one.status === 'active' && one.ends <= model.now)
  for (const one of over) one.status = 'expired'
  return { events: over.map(({ id }) => `lease.expired ${id}`) }
}

export function leave(model: RuleModel): Outcome {
  const held = model.leases.filter((one) => one.status === 'active' && one.holder === model.guest?.number)
  for (const one of held) one.status = 'released'
  const events = [...held.map(({ id }) => `lease.released ${id}`), `participant.left ${model.guest?.id}`]
  drop(model.members, model.guest?.id)
  drop(model.sessions, model.guest?.session)
  model.guest = undefined
  return { events }
}

export function endSession(model: RuleModel): Outcome {
  const events = [`session.expired ${model.guest?.id}`]
  drop(model.sessions, model.guest?.session)
  model.guest = undefined
  return { events }
}

function drop(list: string[], id: string | undefined): void {
  const place = list.indexOf(id ?? '')
  if (place >= 0) list.splice(place, 1)
}

const STEPS = {
  accept: { from: ['created'], to: 'accepted' },
  result: { from: ['accepted'], to: 'result_ready' },
  approve: { from: ['result_ready'], to: 'approved' },
  reject: { from: ['result_ready'], to: 'rejected' },
  cancel: { from: ['created', 'accepted', 'result_ready'], to: 'cancelled' },
} as const
export type HandoffMove = keyof typeof STEPS

export function moveHandoff(handoff: { readonly id: string; status: string }, move: HandoffMove): Outcome {
  const { from, to } = STEPS[move]
  if (handoff.status === to && move !== 'result') return { events: [] }
  if (!(from as readonly string[]).includes(handoff.status)) return { reason: 'handoff_state' }
  handoff.status = to
  return { events: [`handoff.${to} ${handoff.id}`, `task.updated ${handoff.id}`] }
}

/** Everything that must be found again, as one text. */
export function digestOf(model: RuleModel): string {
  const texts = at(model, newest(model))
  return JSON.stringify({
    version: newest(model),
    text: documentOf(texts),
    fence: model.fence,
    proposals: model.proposals
      .map(({ id, status }) => [id, status === 'withdrawn' ? 'rejected' : status])
      .sort(),
    leases: model.leases.map(({ id, status }) => [id, status]).sort(),
    handoffs: model.handoffs.map(({ id, status }) => [id, status]).sort(),
    members: [...model.members].sort(),
    sessions: [...model.sessions].sort(),
  })
}
