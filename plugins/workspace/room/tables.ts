import type { Handoff } from '../domain/handoff.ts'
import type { Invitation } from '../domain/invitation.ts'
import type { Lease } from '../domain/lease.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Participant } from '../domain/participant.ts'
import { type Proposal, TERMINAL } from '../domain/proposal.ts'
import type { Params, Row, Rows, Tx } from '../domain/rows.ts'
import type { Session } from '../domain/session.ts'
import { refusals } from '../reasons.ts'

/** One kind of thing the room keeps, by id. */
export interface Table<T> {
  find(rows: Rows, id: string): T | undefined
  /** Errors: `not_found`/`<kind>_not_found`, the same for every id that is not there. */
  get(rows: Rows, id: string): T
  /** Stores it, new or changed. */
  put(tx: Tx, value: T): void
}

/** A row's JSON document. What the room stored itself needs no second check; the journal's checksum guards it. */
export function stored<T>(row: Row): T {
  return JSON.parse(String(row['json'])) as T // see above
}

/** Every row of a listing statement as documents. */
export function listed<T>(rows: Rows, statement: string, params: Params = {}): readonly T[] {
  return rows.all(statement, params).map((row) => stored<T>(row))
}

type Missing = `${'participant' | 'session' | 'proposal' | 'lease' | 'invite' | 'handoff'}_not_found`

function table<T>(
  name: string,
  missing: Missing,
  columns: (value: T) => Params & { readonly id: string },
): Table<T> {
  const find = (rows: Rows, id: string): T | undefined => {
    const row = rows.one(`${name}_get`, { id })
    return row && stored<T>(row)
  }
  return {
    find,
    get(rows, id) {
      const value = find(rows, id)
      if (value === undefined) throw refusals[missing]()
      return value
    },
    put(tx, value) {
      tx.run(`${name}_put`, { n: tx.latestEventId + 1, json: JSON.stringify(value), ...columns(value) })
    },
  }
}

export const leases = table<Lease>('lease', 'lease_not_found', (lease) => ({
  id: lease.lease_id,
  status: lease.status,
  participant_id: lease.participant_id,
  expires_at: lease.expires_at,
}))

export const participants = table<Participant>('participant', 'participant_not_found', (participant) => ({
  id: participant.participant_id,
  is_left: participant.left_at === undefined ? 0 : 1,
  name: participant.name,
}))

export const invitations = table<Invitation>('invitation', 'invite_not_found', (invitation) => ({
  id: invitation.invite_id,
  secret_hash: invitation.secret_hash,
}))

export const sessions = table<Session>('session', 'session_not_found', (session) => ({
  id: session.session_id,
  token_hash: session.token_hash,
  participant_id: session.participant_id,
  ended: session.ended_at === undefined ? 0 : 1,
  expires_at: session.expires_at,
}))

export const handoffs = table<Handoff>('handoff', 'handoff_not_found', (handoff) => ({
  id: handoff.handoff_id,
  task_id: handoff.task_id,
  status: handoff.status,
}))

const proposalRows = table<Proposal>('proposal', 'proposal_not_found', (proposal) => ({
  id: proposal.proposal_id,
  status: proposal.status,
  participant_id: proposal.participant_id,
  hash: proposal.content_hash,
}))

/** Proposals; settling one drops the oldest settled texts. */
export const proposals: Table<Proposal> = {
  ...proposalRows,
  put(tx, proposal) {
    proposalRows.put(tx, proposal)
    if (!TERMINAL.has(proposal.status)) return
    for (const row of tx.all('proposal_settled_texts', { kept: LIMITS.settledProposalTexts })) {
      const old = stored<Proposal>(row)
      tx.run('proposal_put', {
        id: old.proposal_id,
        n: 0, // an existing row keeps its own
        status: old.status,
        participant_id: old.participant_id,
        hash: null, // no text of its own any more
        json: JSON.stringify(old),
      })
      dropUnusedText(tx, String(row['hash']))
    }
  },
}

/** Drops a stored text that no version and no proposal names any more. */
export function dropUnusedText(tx: Tx, hash: string): void {
  if (Number(tx.one('text_users', { hash })?.['users']) === 0) tx.dropBody(hash)
}
