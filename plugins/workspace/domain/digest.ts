import type { NextStep } from '../../../server/plugin.ts'
import { BYTES_PER_TOKEN } from '../../../server/plugin.ts'
import type { RoomEvent } from './event.ts'
import type { FileNote } from './file-state.ts'
import type { Handoff } from './handoff.ts'
import type { Lease } from './lease.ts'
import { type Participant, scriptMark } from './participant.ts'
import type { Proposal } from './proposal.ts'
import type { Version } from './version.ts'

/** The events to fold, and the rows at the newest event. */
export interface DigestSource {
  readonly since: number
  /** Oldest first, ids above `since`; empty when `since` lies beyond the ring. */
  readonly events: readonly RoomEvent[]
  readonly latest: number
  readonly oldest: number
  readonly version: number
  readonly file?: FileNote
  readonly me: string
  readonly versions: readonly Version[]
  readonly proposals: readonly Proposal[]
  readonly leases: readonly Lease[]
  readonly participants: readonly Participant[]
  readonly handoffs: readonly Handoff[]
}

export interface DigestEntry {
  readonly [key: string]: string | number | boolean
}

export interface Digest extends FileNote {
  readonly from_event_id: number
  readonly to_event_id: number
  readonly latest_event_id: number
  readonly oldest_event_id: number
  readonly gap: boolean
  readonly version: { readonly from?: number; readonly to: number }
  readonly counts: Readonly<Record<string, number>>
  readonly handoffs: readonly DigestEntry[]
  readonly proposals: readonly DigestEntry[]
  readonly document: readonly DigestEntry[]
  readonly leases: readonly DigestEntry[]
  readonly participants: { readonly joined: readonly DigestEntry[]; readonly left: readonly DigestEntry[] }
  readonly truncated?: { readonly reason: 'max_tokens'; readonly next: NextStep }
}

type Place = 'document' | 'proposals' | 'leases' | 'joined' | 'left' | 'handoffs'
interface Ranked {
  readonly place: Place
  readonly entry: DigestEntry
}

/** Tokens of a structured result: a quarter of its UTF-8 bytes, rounded up. */
export function tokensOf(value: unknown): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify(value)) / BYTES_PER_TOKEN)
}

/**
 * What happened after a cursor: the events folded to one entry per object, in its state at the newest event.
 * When events are missing (`gap`) the entries are the current state instead. Never more than `maxTokens`; what did
 * not fit is named in `truncated`. Kept first: handoffs to me, my proposals, pending ones, versions, leases, people.
 */
export function digest(source: DigestSource, maxTokens: number): Digest {
  const gap = source.since + 1 < source.oldest || source.since > source.latest
  const ranked = gap ? currentState(source) : foldedState(source)
  const frame = frameOf(source, gap)
  // After a cursor beyond the newest event there is nothing to read: start at the oldest.
  const since_event_id = source.since > source.latest ? source.oldest - 1 : source.since
  const truncated = {
    reason: 'max_tokens' as const,
    next: { tool: 'workspace_events', args: { since_event_id } },
  }
  const all = filled(frame, ranked)
  if (tokensOf(all) <= maxTokens) return all
  const kept = withinBudget({ ...frame, truncated }, ranked, maxTokens)
  return { ...filled(frame, kept), truncated }
}

function withinBudget(frame: Digest, ranked: readonly Ranked[], maxTokens: number): readonly Ranked[] {
  let bytes = Buffer.byteLength(JSON.stringify(frame))
  const kept: Ranked[] = []
  for (const one of ranked) {
    bytes += Buffer.byteLength(JSON.stringify(one.entry)) + 1 // the comma
    if (Math.ceil(bytes / BYTES_PER_TOKEN) > maxTokens) break
    kept.push(one)
  }
  return kept
}

function frameOf(source: DigestSource, gap: boolean): Digest {
  const counts: Record<string, number> = {}
  for (const { event_type } of source.events) counts[event_type] = (counts[event_type] ?? 0) + 1
  const began = source.events.some(({ event_type }) => event_type === 'workspace.created')
  const from = source.version - (counts['change.committed'] ?? 0)
  return {
    from_event_id: source.since,
    to_event_id: source.latest,
    latest_event_id: source.latest,
    oldest_event_id: source.oldest,
    gap,
    version: { ...(!gap && !began && { from }), to: source.version },
    ...source.file,
    counts,
    handoffs: [],
    proposals: [],
    document: [],
    leases: [],
    participants: { joined: [], left: [] },
  }
}

function filled(frame: Digest, ranked: readonly Ranked[]): Digest {
  const at = (place: Place) => ranked.filter((one) => one.place === place).map((one) => one.entry)
  return {
    ...frame,
    handoffs: at('handoffs'),
    proposals: at('proposals'),
    document: at('document'),
    leases: at('leases'),
    participants: { joined: at('joined'), left: at('left') },
  }
}

function currentState(source: DigestSource): readonly Ranked[] {
  return ranked(source, {
    versions: source.versions.filter(({ version }) => version === source.version),
    proposals: source.proposals.filter(({ status }) => status === 'pending' || status === 'approved'),
    leases: source.leases.filter(({ status }) => status === 'active'),
    participants: source.participants.filter(({ left_at }) => left_at === undefined),
    handoffs: source.handoffs.filter(
      ({ status }) => status === 'created' || status === 'accepted' || status === 'result_ready',
    ),
  })
}

function foldedState(source: DigestSource): readonly Ranked[] {
  const touched = new Set<string>()
  const versions = new Set<number>()
  for (const { event_type, version, payload } of source.events) {
    if (event_type === 'change.committed' && version !== undefined) versions.add(version)
    const [family] = event_type.split('.')
    const id = family && OBJECT_ID[family] && payload[OBJECT_ID[family]]
    if (typeof id === 'string') touched.add(id)
  }
  return ranked(source, {
    versions: source.versions.filter(({ version }) => versions.has(version)),
    proposals: source.proposals.filter(({ proposal_id }) => touched.has(proposal_id)),
    leases: source.leases.filter(({ lease_id }) => touched.has(lease_id)),
    participants: source.participants.filter(({ participant_id }) => touched.has(participant_id)),
    handoffs: source.handoffs.filter(({ handoff_id }) => touched.has(handoff_id)),
  })
}

/** Which payload key names the object of an event family. */
const OBJECT_ID: Readonly<Record<string, string>> = {
  proposal: 'proposal_id',
  lease: 'lease_id',
  participant: 'participant_id',
  handoff: 'handoff_id',
}

interface Chosen {
  readonly versions: readonly Version[]
  readonly proposals: readonly Proposal[]
  readonly leases: readonly Lease[]
  readonly participants: readonly Participant[]
  readonly handoffs: readonly Handoff[]
}

function ranked({ me }: DigestSource, chosen: Chosen): readonly Ranked[] {
  const toMe = chosen.handoffs.filter((handoff) => isToMe(handoff, me))
  const mine = chosen.proposals.filter((proposal) => proposal.participant_id === me)
  const others = chosen.proposals.filter((proposal) => proposal.participant_id !== me)
  const pending = others.filter(({ status }) => status === 'pending')
  const settled = others.filter(({ status }) => status !== 'pending')
  return [
    ...toMe.map((handoff) => handoffEntry(handoff, me)),
    ...[...mine, ...pending].map((proposal) => proposalEntry(proposal, me)),
    ...[...chosen.versions].reverse().map(versionEntry),
    ...chosen.leases.map(leaseEntry),
    ...chosen.participants.map(participantEntry),
    ...settled.map((proposal) => proposalEntry(proposal, me)),
    ...chosen.handoffs.filter((handoff) => !isToMe(handoff, me)).map((handoff) => handoffEntry(handoff, me)),
  ]
}

function isToMe(handoff: Handoff, me: string): boolean {
  return handoff.to === me || handoff.acceptor === me
}

function handoffEntry(handoff: Handoff, me: string): Ranked {
  const { handoff_id, status, title } = handoff
  return { place: 'handoffs', entry: { handoff_id, status, to_me: isToMe(handoff, me), title } }
}

function proposalEntry(
  { proposal_id, status, target, summary, participant_id }: Proposal,
  me: string,
): Ranked {
  return { place: 'proposals', entry: { proposal_id, status, target, summary, mine: participant_id === me } }
}

function versionEntry({ version, actor_id, source, target, summary }: Version): Ranked {
  return {
    place: 'document',
    entry: { version, ...(actor_id !== undefined && { actor: actor_id }), source, target, summary },
  }
}

function leaseEntry({ lease_id, participant_id, status, target, expires_at }: Lease): Ranked {
  return { place: 'leases', entry: { lease_id, participant_id, status, target, expires_at } }
}

function participantEntry({ participant_id, name, kind, left_at }: Participant): Ranked {
  return {
    place: left_at === undefined ? 'joined' : 'left',
    entry: { participant_id, name, kind, ...scriptMark(name) },
  }
}
