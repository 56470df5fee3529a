import { BYTES_PER_TOKEN, cursorOf, firstBytes } from '../../../server/plugin.ts'
import type { Analysis } from '../domain/analysis.ts'
import type { RoomEvent } from '../domain/event.ts'
import { fileNote } from '../domain/file-state.ts'
import { type Handoff, type HandoffShown, type HandoffStatus, handoffShown } from '../domain/handoff.ts'
import { type Invitation, invitationView } from '../domain/invitation.ts'
import type { Lease } from '../domain/lease.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Moment } from '../domain/moment.ts'
import { type Participant, participantView } from '../domain/participant.ts'
import type { Proposal, ProposalStatus } from '../domain/proposal.ts'
import type { Rows } from '../domain/rows.ts'
import { isLive, type Session, sessionView } from '../domain/session.ts'
import { outlineRows, readTarget } from '../domain/span.ts'
import { formatTarget, parseTarget } from '../domain/target.ts'
import type { Version } from '../domain/version.ts'
import { refusals } from '../reasons.ts'
import { type Actor, actorMay, type RoomSettings, requireCapability, workspaceRow } from './change.ts'
import { getVersion, versionText } from './document.ts'
import { presentParticipants } from './members.ts'
import { type PageInput, page, pageInOrder, rowLimit, startOf } from './page.ts'
import { handoffs, listed, proposals, stored } from './tables.ts'

/** A consistent read of the room by a live session. */
export interface View {
  readonly rows: Rows
  readonly now: Moment
  readonly actor: Actor
  readonly settings: RoomSettings
  readonly analysis: Analysis
  /** Real path of the markdown file. */
  readonly path: string
  /** Changes with every process that owns the room. */
  readonly instanceId: string
}

/** The room in one object; the path only for an admin. */
export function status(view: View) {
  requireCapability(view.actor, 'read')
  const { rows, actor, settings } = view
  const { workspace_id, name, lifecycle } = workspaceRow(rows)
  const { version, hash, bytes, substrate } = rows.document
  const { participant, session } = actor
  return {
    workspace_id,
    name,
    ...(actorMay(actor, 'admin') && { path: view.path }),
    lifecycle,
    substrate,
    ...fileNote(substrate),
    version,
    content_hash: hash,
    bytes,
    updated_at: getVersion(rows, version).created_at,
    staleness: settings.staleness,
    instance_id: view.instanceId,
    counts: {
      pending_proposals: Number(rows.one('proposal_count', { status: 'pending' })?.['count']),
      active_leases: activeLeases(view).length,
      participants: presentParticipants(rows).length,
    },
    you: { ...named(participant), capabilities: session.capabilities },
  }
}

/** Active leases, in the order they were acquired. */
export function leasesPage(view: View, input: PageInput) {
  requireCapability(view.actor, 'read')
  const { rows, ...more } = pageInOrder<Lease>(view.rows, 'lease_page', input, { now: view.now })
  return { leases: rows, ...more }
}

/** Active leases, without those that have ended but that the timer has not expired yet. */
export function activeLeases({ rows, now }: View): readonly Lease[] {
  return listed<Lease>(rows, 'lease_active').filter((lease) => lease.expires_at > now)
}

/**
 * The document, one section of it, or an older version, cut to a budget where one is given.
 * Errors: `invalid_region`; `version_not_found`, `version_pruned`; `invalid_request` for a budget below 1.
 */
export function readDocument(
  view: View,
  input: {
    readonly section?: string | undefined
    readonly version?: number | undefined
    readonly max_tokens?: number | undefined
  },
) {
  requireCapability(view.actor, 'read')
  const version = input.version ?? view.rows.document.version
  const target = parseTarget(sectionTarget(input.section))
  const whole = readTarget(textOf(view.rows, version), target, view.analysis.outline)
  const { text, cut } = withinTokens(whole, input.max_tokens)
  const next = { tool: 'workspace_outline', args: {} }
  return {
    version,
    target: formatTarget(target),
    content: text,
    ...fileNote(view.rows.document.substrate),
    ...(cut && { truncated: { reason: 'max_tokens' as const, total_bytes: Buffer.byteLength(whole), next } }),
  }
}

/** No document is longer than `LIMITS.documentBytes`, so without a budget nothing is cut, and nothing encoded to count it. */
function withinTokens(text: string, tokens?: number) {
  if (tokens !== undefined && tokens < 1) throw refusals.max_tokens()
  return tokens === undefined ? { text, cut: false } : firstBytes(text, tokens * BYTES_PER_TOKEN)
}

function sectionTarget(section: string | undefined): string {
  if (section === undefined) return 'workspace'
  return section === 'workspace' || section === '*' || section.startsWith('section:')
    ? section
    : `section:${section}`
}

function textOf(rows: Rows, version: number): string {
  const text = versionText(rows, version)
  if (text !== undefined) return text
  getVersion(rows, version)
  throw refusals.version_pruned()
}

const OUTLINE_ROWS = 2000

/** The sections of the newest version. */
export function outlinePage(view: View, maxDepth: number) {
  requireCapability(view.actor, 'read')
  const outline = view.analysis.outline(view.rows.documentText())
  const { rows, more } = outlineRows(outline, { maxDepth, limit: OUTLINE_ROWS })
  const next =
    maxDepth > 1
      ? { tool: 'workspace_outline', args: { max_depth: maxDepth - 1 } }
      : { tool: 'workspace_read', args: {} }
  return {
    version: view.rows.document.version,
    sections: rows,
    ...(more && { truncated: { reason: 'max_rows', next } }),
  }
}

/** A proposal as it is listed: without content and its hash. */
export type ProposalView = Omit<Proposal, 'content_hash'>

/** The proposal without what names its stored text. */
export function proposalView({ content_hash: _, ...view }: Proposal): ProposalView {
  return view
}

/** Proposals, newest first. */
export function proposalsPage(
  view: View,
  input: PageInput & { readonly status?: ProposalStatus | undefined },
) {
  requireCapability(view.actor, 'read')
  const { rows, ...more } = page<Proposal>(view.rows, 'proposal_page', input, { status: input.status })
  return { proposals: rows.map(proposalView), ...more }
}

/** One proposal with its content and what that changes of its base, in at most 16 KiB (`diff_truncated`: there is more). Errors: `not_found`/`proposal_not_found`. */
export function proposalWithContent(view: View, proposalId: string) {
  requireCapability(view.actor, 'read')
  const { rows, analysis } = view
  const proposal = proposals.get(rows, proposalId)
  const content = rows.body(proposal.content_hash)
  if (content === undefined) return proposalView(proposal)
  const base = versionText(rows, proposal.base_version)
  if (base === undefined) return { ...proposalView(proposal), content }
  const before = readTarget(base, parseTarget(proposal.target), analysis.outline)
  const { diff, cut } = analysis.difference(before, content, LIMITS.diffBytes)
  return { ...proposalView(proposal), content, diff, ...(cut && { diff_truncated: true }) }
}

/** Version rows, newest first. */
export function history(view: View, input: PageInput & { readonly since_version?: number | undefined }) {
  requireCapability(view.actor, 'read')
  const limit = rowLimit(input.limit)
  const found = listed<Version>(view.rows, 'version_page', {
    since: input.since_version ?? 0,
    before: startOf(input.cursor, 'version_page') ?? Number.MAX_SAFE_INTEGER,
    limit: limit + 1,
  })
  const versions = found.slice(0, limit)
  const last = versions.at(-1)
  return {
    versions,
    ...(found.length > limit && last && { next_cursor: cursorOf('version_page', [last.version]) }),
  }
}

/** What changed between two versions, `to` the newest where it is absent. Errors: `version_not_found`, `version_pruned`. */
export function diffVersions(view: View, from: number, to = view.rows.document.version) {
  requireCapability(view.actor, 'read')
  const before = textOf(view.rows, from)
  const after = textOf(view.rows, to)
  const { diff, cut, added, removed } = view.analysis.difference(before, after, LIMITS.proposalBytes)
  return {
    from_version: from,
    to_version: to,
    added,
    removed,
    diff,
    ...(cut && { truncated: cutDiff(from) }),
  }
}

function cutDiff(from: number) {
  const next = { tool: 'workspace_history', args: { since_version: from } }
  return { reason: 'max_bytes' as const, next }
}

/** Stored events after a cursor, oldest first; `gap` when some in between were dropped, `next` when there are more. */
export function eventsAfter(
  view: View,
  input: { readonly since_event_id: number; readonly limit?: number | undefined },
) {
  requireCapability(view.actor, 'observe')
  const events = eventsSince(view.rows, input.since_event_id, rowLimit(input.limit))
  const ring = ringOf(view.rows, input.since_event_id)
  const last = events.at(-1)?.event_id ?? ring.latest_event_id
  const next = { tool: 'workspace_events', args: { since_event_id: last } }
  return { events, ...ring, ...(last < ring.latest_event_id && { next }) }
}

/** Stored events with ids above `since`, oldest first. */
export function eventsSince(rows: Rows, since: number, limit: number): readonly RoomEvent[] {
  return listed<RoomEvent>(rows, 'event_after', { since, limit })
}

/** Where the stored events begin and end, and whether `since` lies outside. */
export function ringOf(rows: Rows, since: number) {
  const latest = rows.latestEventId
  const oldest = Number(rows.one('event_oldest')?.['oldest'])
  return { latest_event_id: latest, oldest_event_id: oldest, gap: since + 1 < oldest || since > latest }
}

/** Participants who have not left, in the order they joined; with `left` those who have, the newest first. */
export function participantsPage(view: View, input: PageInput & { readonly left?: boolean | undefined }) {
  requireCapability(view.actor, 'read')
  const { rows, ...more } = input.left
    ? page<Participant>(view.rows, 'participant_left_page', input)
    : pageInOrder<Participant>(view.rows, 'participant_page', input)
  return { participants: rows.map(participantView), ...more }
}

/** Invitations, newest first, without their secrets. */
export function invitesPage(view: View, input: PageInput) {
  requireCapability(view.actor, 'invite')
  const { rows, ...more } = page<Invitation>(view.rows, 'invitation_page', input)
  return { invites: rows.map(invitationView), ...more }
}

/** Sessions, newest first, without their tokens; with `live` those that may be used now. */
export function sessionsPage(view: View, input: PageInput & { readonly live?: boolean | undefined }) {
  requireCapability(view.actor, 'admin')
  const { rows, ...more } = input.live
    ? page<Session>(view.rows, 'session_live_page', input, { now: view.now })
    : page<Session>(view.rows, 'session_page', input)
  return {
    sessions: rows.map((session) => ({ ...sessionView(session), live: isLive(session, view.now) })),
    ...more,
  }
}

/** One handoff with its record. Errors: `not_found`/`handoff_not_found`. */
export function handoffWithRecord(view: View, handoffId: string) {
  requireCapability(view.actor, 'read')
  const handoff = handoffs.get(view.rows, handoffId)
  const row = view.rows.one('handoff_record_get', { id: handoffId })
  return { ...handoff, ...(row && { record: stored<Record<string, unknown>>(row) }) }
}

/** A handoff as it is listed: without its result, which may be as large as a record. */
export type HandoffView = Omit<HandoffShown, 'result'>

interface HandoffsInput extends PageInput {
  readonly status?: HandoffStatus | undefined
  /** Only those made by, addressed to or accepted by the caller. */
  readonly mine?: boolean | undefined
}

const SCANNED_ROWS = 2000
const SCAN_BATCH = 50

/** Handoffs, newest first. A page scans at most 2000 rows: one of `mine` may be short or empty without being the last. */
export function handoffsPage(view: View, input: HandoffsInput) {
  requireCapability(view.actor, 'read')
  const { status, mine = false } = input
  const limit = rowLimit(input.limit)
  const me = view.actor.participant.participant_id
  const shown: HandoffView[] = []
  let before = startOf(input.cursor, 'handoff_page') ?? Number.MAX_SAFE_INTEGER
  let last = before
  for (let scanned = 0; scanned < SCANNED_ROWS; scanned += SCAN_BATCH) {
    const found = view.rows.all('handoff_page', { status, before, limit: SCAN_BATCH })
    for (const row of found) {
      const { result: _, ...handoff } = handoffShown(stored<Handoff>(row))
      before = Number(row['n'])
      if (mine && ![handoff.from, handoff.to, handoff.acceptor].includes(me)) continue
      if (shown.length === limit) return { handoffs: shown, next_cursor: cursorOf('handoff_page', [last]) }
      shown.push(handoff)
      last = before
    }
    if (found.length < SCAN_BATCH) return { handoffs: shown }
  }
  return { handoffs: shown, next_cursor: cursorOf('handoff_page', [before]) }
}

const EXCERPT_BYTES = 4096
const NEWEST_EVENTS = 20

/**
 * Everything the page shows, in one consistent read (spec workspace-events, `GET /workspace/room`). `next_cursors`: where
 * the tool of a list goes on whose newest 200 rows are not all.
 */
export function roomView(view: View) {
  requireCapability(view.actor, 'read')
  const { rows, actor, analysis } = view
  const text = rows.documentText()
  const { gap: _, ...ring } = ringOf(rows, 0)
  const longest = { limit: LIMITS.listRows }
  const proposed = proposalsPage(view, longest)
  const handed = handoffsPage(view, longest)
  const invited = actorMay(actor, 'invite') ? invitesPage(view, longest) : undefined
  const cut = {
    ...(proposed.next_cursor && { proposals: proposed.next_cursor }),
    ...(handed.next_cursor && { handoffs: handed.next_cursor }),
    ...(invited?.next_cursor && { invites: invited.next_cursor }),
  }
  return {
    status: status(view),
    document: {
      version: rows.document.version,
      outline: outlineRows(analysis.outline(text), { maxDepth: 6, limit: LIMITS.listRows }).rows,
      excerpt: firstBytes(text, EXCERPT_BYTES).text,
    },
    participants: presentParticipants(rows).map(participantView),
    left: participantsPage(view, { ...longest, left: true }).participants.map(named),
    leases: activeLeases(view),
    proposals: proposed.proposals,
    handoffs: handed.handoffs,
    ...(invited && { invites: invited.invites }),
    ...(Object.keys(cut).length > 0 && { next_cursors: cut }),
    ...(actorMay(actor, 'observe') && {
      events: listed<RoomEvent>(rows, 'event_newest', { limit: NEWEST_EVENTS }),
    }),
    ...ring,
  }
}

/** What is shown of a participant beside its rights. */
function named({ participant_id, kind, name }: Participant) {
  return { participant_id, kind, name }
}

/** The handoff of a task that belongs to the caller; unknown and foreign ids both return undefined. */
export function handoffOfTask(view: Pick<View, 'rows' | 'actor'>, taskId: string): Handoff | undefined {
  const row = view.rows.one('handoff_by_task', { task_id: taskId })
  const handoff = row && stored<Handoff>(row)
  const me = view.actor.participant.participant_id
  return handoff && (handoff.from === me || handoff.acceptor === me) ? handoff : undefined
}
