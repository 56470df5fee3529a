import { join } from 'node:path'
import {
  type Disk,
  isJsonObject,
  type ProcessIdentity,
  removeQuietly,
  systemCode,
} from '../../../server/plugin.ts'
import type { Claim } from '../domain/record.ts'
import { replaceLocalFile } from './ensure-folder.ts'
import type { Layout } from './layout.ts'

/** A claim as a store keeps it. It is free when its time is over or all of its processes have ended. */
export interface HeldClaim extends Claim {
  readonly processes: readonly ProcessIdentity[]
  /** Of a row: which writing of it this is. */
  readonly version?: string
}

/** What a new claim takes the place of. */
export interface Replaced {
  readonly before: HeldClaim | undefined
  /** Milliseconds; given: those of long ended sessions are removed, too. */
  readonly clockMs?: number
}

/** Where a store keeps its claims: the files of this machine, or rows. Ids are in any spelling; those given out in lower case. */
export interface ClaimShelf {
  load(id: string): Promise<HeldClaim | undefined>
  all(): Promise<readonly { readonly id: string; readonly claim: HeldClaim }[]>
  /** Errors: `conflict`/`locked` if the present claim is not `before` and the store can tell. */
  put(id: string, claim: HeldClaim, replaced: Replaced): Promise<void>
  remove(id: string): Promise<void>
}

const FOLDER = 'claims'
/** Claims of ended sessions are removed when there are so many files, and they are so old. */
const MANY = 200
const OLD_MS = 48 * 60 * 60 * 1000 // twice the longest claim

/** Where the files of claims are. */
export function claimsFolder({ local }: Layout): string {
  return join(local, FOLDER)
}

/** The claims in the local folder of a layout. */
export function fileClaims(disk: Disk, layout: Layout): ClaimShelf {
  const load = async (id: string): Promise<HeldClaim | undefined> => {
    try {
      return claimIn(JSON.parse((await disk.readFile(fileOf(layout, id))).toString('utf8')))
    } catch {
      return undefined // a damaged claim is none
    }
  }
  return {
    load,
    async all() {
      const names = await namesIn(disk, claimsFolder(layout))
      const found = await Promise.all(
        names.map(async (name) => {
          const id = name.replace(/\.json$/, '')
          const claim = await load(id)
          return claim ? [{ id, claim }] : []
        }),
      )
      return found.flat()
    },
    async put(id, claim, { clockMs }) {
      if (clockMs !== undefined) await removeOld(disk, layout, clockMs)
      await replaceLocalFile(disk, layout.local, `${FOLDER}/${id.toLowerCase()}`, JSON.stringify(claim))
    },
    async remove(id) {
      await removeQuietly(disk, fileOf(layout, id))
    },
  }
}

/** The claim of a file or row; undefined for anything else. */
export function claimIn(value: unknown): HeldClaim | undefined {
  if (!isJsonObject(value)) return undefined
  const { by, expires_at, processes } = value
  if (typeof by !== 'string' || typeof expires_at !== 'string' || !Array.isArray(processes)) return undefined
  return { by, expires_at, processes: processes.filter(isIdentity) }
}

function isIdentity(value: unknown): value is ProcessIdentity {
  return isJsonObject(value) && typeof value['pid'] === 'number' && typeof value['host'] === 'string'
}

/** None where the folder cannot be read: a claim is advice, and must not keep a record from being read or written. */
async function namesIn(disk: Disk, folder: string): Promise<readonly string[]> {
  try {
    return await disk.list(folder)
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown
    return []
  }
}

async function removeOld(disk: Disk, layout: Layout, nowMs: number): Promise<void> {
  const folder = claimsFolder(layout)
  const names = await namesIn(disk, folder)
  if (names.length < MANY) return
  for (const name of names) {
    const stat = await disk.stat(join(folder, name))
    if (stat && nowMs - stat.modifiedMs > OLD_MS) await removeQuietly(disk, join(folder, name))
  }
}

function fileOf(layout: Layout, id: string): string {
  return join(claimsFolder(layout), `${id.toLowerCase()}.json`)
}
