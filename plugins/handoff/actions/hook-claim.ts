import { editText } from '../domain/json-edit.ts'
import { extension } from '../domain/record.ts'
import { changeEdits } from '../domain/record-change.ts'
import { timeOf } from '../domain/record-time.ts'
import type { HookCall } from '../hook-call.ts'
import { claimedBy } from './create-record.ts'

/** Renews the session's claim when less than half of it is left. Leaves `updated_at`. */
export async function renewClaim(call: HookCall): Promise<void> {
  const { handoffs, project, session } = call
  const now = handoffs.now().getTime()
  const claimed = await claimOf(call)
  const expires = timeOf(claimed?.claim?.expires_at ?? '') ?? 0
  const ttlMs = handoffs.config.claim_ttl_s * 1000
  if (!claimed || session === undefined || expires - now > ttlMs / 2) return
  await project.store.update(claimed.id, undefined, (current) => {
    if (current.kind === 'broken' || extension(current.record).claim?.by !== session) return undefined
    const claim = { by: session, expires_at: new Date(now + ttlMs).toISOString() }
    return editText(current.document, changeEdits(current.record, { claim }))
  })
}

/** Ends the session's claim; a resumed record becomes ready. */
export async function endClaim(call: HookCall): Promise<void> {
  const { handoffs, project, session } = call
  const claimed = await claimOf(call)
  if (!claimed) return
  const at = handoffs.now().toISOString()
  await project.store.update(claimed.id, undefined, (current) => {
    if (current.kind === 'broken' || extension(current.record).claim?.by !== session) return undefined
    const { record } = current
    const status = record.status === 'resumed' ? 'ready' : record.status
    const entry = { by: session ?? null, reason: 'session ended' }
    return editText(current.document, changeEdits(record, { status, claim: null, entry, at }))
  })
}

async function claimOf({ handoffs, session, rows }: HookCall) {
  if (session === undefined) return undefined
  return claimedBy(await rows(), session, handoffs.now().getTime())
}
