import {
  isSatchelError,
  judgeProcess,
  type ProcessIdentity,
  type SatchelError,
  systemCode,
  systemProcesses,
} from '../../../server/plugin.ts'
import { type Claim, extension, type Handoff, isLive } from '../domain/record.ts'
import type { RecordRow } from '../domain/record-row.ts'
import { refusals } from '../reasons.ts'
import type { HeldClaim } from './claim-shelf.ts'
import { ancestorsOfProcess } from './sessions.ts'
import type { Store } from './store.ts'

type Held = Pick<Store, 'claims'>

/** The claim on a record that counts: the one of the store, else the one that an earlier release wrote into the record. */
export async function claimOn(store: Held, record: Handoff, nowMs: number): Promise<Claim | null> {
  const held = await store.claims.load(record.id)
  if (!held) return extension(record).claim
  return isLive(held, nowMs) && isDead(held) ? null : shown(held)
}

/** Claims a record until a time, for the process of the session. Errors: `conflict`/`claimed` by another one that lives. */
export async function writeClaim(
  store: Held,
  id: string,
  {
    claim,
    ownProcess,
    clockMs,
    nowMs,
  }: {
    readonly claim: Claim
    readonly ownProcess: boolean
    /** Of files, and of claims. */
    readonly clockMs: number
    readonly nowMs: number
  },
): Promise<void> {
  const before = await store.claims.load(id)
  if (before && before.by !== claim.by && isLive(before, nowMs) && !isDead(before))
    throw claimedBy(id, before)
  const { self } = systemProcesses
  const processes = ownProcess
    ? [self]
    : ancestorsOfProcess().map((mark): ProcessIdentity => ({ ...self, ...mark }))
  await store.claims.put(id, { ...claim, processes }, { before, clockMs })
}

const UNUSABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'EISDIR', 'ELOOP'])

/** True if a claim was not written because of the folder of claims: it is not a folder, or not ours. */
export function isUnusable(thrown: unknown): boolean {
  const code = systemCode(thrown)
  return code === undefined
    ? isSatchelError(thrown) && thrown.reason === 'store_unwritable'
    : UNUSABLE.has(code)
}

/** Gives the claim of a session on a record more time; its processes stay. */
export async function renewClaimOn(store: Held, id: string, claim: Claim): Promise<void> {
  const held = await store.claims.load(id)
  if (held && held.by !== claim.by) return
  await store.claims.put(id, { ...claim, processes: held?.processes ?? [] }, { before: held })
}

/** Ends the claim on a record, if there is one. */
export async function endClaimOn({ claims }: Held, id: string): Promise<void> {
  await claims.remove(id)
}

/** Lower-case ids of the records that a session resumed under one of its names, also if its process has ended since. */
export async function idsClaimedBy(store: Held, names: readonly string[]): Promise<readonly string[]> {
  const held = names.length === 0 ? [] : await store.claims.all()
  return held.flatMap(({ id, claim }) => (names.includes(claim.by) ? id : []))
}

/** The living claims by lower-case id of the record. */
export async function loadClaims(store: Held, nowMs: number): Promise<ReadonlyMap<string, Claim>> {
  const claims = new Map<string, Claim>()
  for (const { id, claim } of await store.claims.all()) {
    if (isLive(claim, nowMs) && !isDead(claim)) claims.set(id, shown(claim))
  }
  return claims
}

/** The rows with the living claims. */
export function withClaims(
  rows: readonly RecordRow[],
  claims: ReadonlyMap<string, Claim>,
): readonly RecordRow[] {
  return rows.map((row) => {
    const claim = claims.get(row.id.toLowerCase())
    return claim ? { ...row, claim } : row
  })
}

/** The error for a record that another session works on. */
export function claimedBy(id: string, { by, expires_at }: Claim): SatchelError {
  return refusals.claimed(
    { by: by.slice(0, 40), expires_at },
    { details: { by, expires_at }, next: { tool: 'handoff_get', args: { id, format: 'brief' } } },
  )
}

/** True only if every process is known to have ended. */
function isDead({ processes }: HeldClaim): boolean {
  return processes.length > 0 && processes.every((found) => judgeProcess(systemProcesses, found) === 'dead')
}

function shown({ by, expires_at }: Claim): Claim {
  return { by, expires_at }
}
