import { join } from 'node:path'
import {
  isJsonObject,
  judgeProcess,
  orMissing,
  type ProcessIdentity,
  removeQuietly,
  systemProcesses,
} from '../../../server/plugin.ts'
import { type Claim, extension, type Handoff, isLive } from '../domain/record.ts'
import type { RecordRow } from '../domain/record-row.ts'
import { replaceLocalFile } from './ensure-folder.ts'
import type { Layout } from './layout.ts'
import { ancestorsOfProcess } from './sessions.ts'
import type { Store } from './store.ts'

/** A claim as this machine keeps it. It is free when its time is over or all of its processes have ended. */
interface HeldClaim extends Claim {
  readonly processes: readonly ProcessIdentity[]
}

type Held = Pick<Store, 'disk' | 'layout'>

const FOLDER = 'claims'
/** Claims of ended sessions are removed when there are so many files, and they are so old. */
const MANY = 200
const OLD_MS = 48 * 60 * 60 * 1000 // twice the longest claim

/** The claim on a record that counts: the one of this machine, else the one that an earlier release wrote into the record. */
export async function claimOn(store: Held, record: Handoff, nowMs: number): Promise<Claim | null> {
  const held = await loadClaim(store, record.id)
  if (!held) return extension(record).claim
  return isLive(held, nowMs) && isDead(held) ? null : shown(held)
}

/** Claims a record until a time, for the process of the session. */
export async function writeClaim(
  store: Held,
  id: string,
  {
    claim,
    ownProcess,
    clockMs,
  }: { readonly claim: Claim; readonly ownProcess: boolean; readonly clockMs: number },
): Promise<void> {
  const { self } = systemProcesses
  const processes = ownProcess
    ? [self]
    : ancestorsOfProcess().map((mark): ProcessIdentity => ({ ...self, ...mark }))
  const held: HeldClaim = { ...claim, processes }
  await removeOld(store, clockMs)
  await replaceLocalFile(
    store.disk,
    store.layout.local,
    `${FOLDER}/${id.toLowerCase()}`,
    JSON.stringify(held),
  )
}

/** Gives the claim of a session on a record more time; its processes stay. */
export async function renewClaimOn(store: Held, id: string, claim: Claim): Promise<void> {
  const held = await loadClaim(store, id)
  if (held && held.by !== claim.by) return
  const renewed: HeldClaim = { ...claim, processes: held?.processes ?? [] }
  await replaceLocalFile(
    store.disk,
    store.layout.local,
    `${FOLDER}/${id.toLowerCase()}`,
    JSON.stringify(renewed),
  )
}

/** Ends the claim on a record, if there is one. */
export async function endClaimOn({ disk, layout }: Held, id: string): Promise<void> {
  const file = fileOf(layout, id)
  if (await disk.stat(file)) await removeQuietly(disk, file)
}

/** Lower-case ids of the records that a session resumed under one of its names, also if its process has ended since. */
export async function idsClaimedBy(store: Held, names: readonly string[]): Promise<readonly string[]> {
  const held = names.length === 0 ? [] : await heldClaims(store)
  return held.flatMap(({ id, claim }) => (names.includes(claim.by) ? id : []))
}

/** The living claims of this machine by lower-case id of the record. */
export async function loadClaims(store: Held, nowMs: number): Promise<ReadonlyMap<string, Claim>> {
  const claims = new Map<string, Claim>()
  for (const { id, claim } of await heldClaims(store)) {
    if (isLive(claim, nowMs) && !isDead(claim)) claims.set(id, shown(claim))
  }
  return claims
}

interface HeldFile {
  readonly id: string
  readonly claim: HeldClaim
}

async function heldClaims(store: Held): Promise<readonly HeldFile[]> {
  const names = (await orMissing(store.disk.list(join(store.layout.local, FOLDER)))) ?? []
  const found = await Promise.all(
    names.map(async (name) => {
      const id = name.replace(/\.json$/, '')
      const claim = await loadClaim(store, id)
      return claim ? [{ id, claim }] : []
    }),
  )
  return found.flat()
}

/** The rows with the claims of this machine. */
export function withClaims(
  rows: readonly RecordRow[],
  claims: ReadonlyMap<string, Claim>,
): readonly RecordRow[] {
  return rows.map((row) => {
    const claim = claims.get(row.id.toLowerCase())
    return claim ? { ...row, claim } : row
  })
}

async function loadClaim({ disk, layout }: Held, id: string): Promise<HeldClaim | undefined> {
  try {
    const value: unknown = JSON.parse((await disk.readFile(fileOf(layout, id))).toString('utf8'))
    if (!isJsonObject(value)) return undefined
    const { by, expires_at, processes } = value
    if (typeof by !== 'string' || typeof expires_at !== 'string' || !Array.isArray(processes))
      return undefined
    return { by, expires_at, processes: processes.filter(isIdentity) }
  } catch {
    return undefined // a damaged claim is none
  }
}

function isIdentity(value: unknown): value is ProcessIdentity {
  return isJsonObject(value) && typeof value['pid'] === 'number' && typeof value['host'] === 'string'
}

/** True only if every process is known to have ended. */
function isDead({ processes }: HeldClaim): boolean {
  return processes.length > 0 && processes.every((found) => judgeProcess(systemProcesses, found) === 'dead')
}

function shown({ by, expires_at }: Claim): Claim {
  return { by, expires_at }
}

async function removeOld({ disk, layout }: Held, nowMs: number): Promise<void> {
  const folder = join(layout.local, FOLDER)
  const names = (await orMissing(disk.list(folder))) ?? []
  if (names.length < MANY) return
  for (const name of names) {
    const stat = await disk.stat(join(folder, name))
    if (stat && nowMs - stat.modifiedMs > OLD_MS) await removeQuietly(disk, join(folder, name))
  }
}

function fileOf(layout: Layout, id: string): string {
  return join(layout.local, FOLDER, `${id.toLowerCase()}.json`)
}
