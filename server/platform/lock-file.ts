import { basename, dirname } from 'node:path'
import { type Disk, type FileFacts, realDisk } from './disk.ts'
import { isJsonObject } from './json-object.ts'
import {
  judgeProcess,
  type Liveness,
  type Processes,
  type ProcessIdentity,
  systemProcesses,
} from './process-liveness.ts'

/** The content of a lock file: the process that holds the lock, and what the user of the lock adds. */
export type LockRecord<Payload = unknown> = ProcessIdentity & {
  readonly n: number
  readonly nonce: string
} & Payload

/** The files of a lock and how to read them. */
export interface LockFiles {
  readonly disk?: Disk | undefined
  /**
   * A lock file is `<path><n>`. `n` only grows and the highest file is never removed, so that processes never compete
   * for a name that was used before.
   */
  readonly path: string
  /** Whether a record has the members of the payload; one that has not is taken for garbage. */
  readonly isPayload?: (record: object) => boolean
}

/** How to tell whether a lock is held. */
export interface LockJudge<Payload = unknown> extends LockFiles {
  /** Whether the process that wrote `record` holds the lock. Absent: if it is not dead. */
  readonly isHeld?: (record: LockRecord<Payload>, seen: SeenLock) => boolean | Promise<boolean>
  readonly processes?: Processes | undefined
  readonly now?: (() => number) | undefined
  /** The file system may lack hard links: then a file is written in place and may be seen half written. */
  readonly withoutLinks?: boolean
}

/** What is known of a lock file besides its content. */
export interface SeenLock {
  readonly liveness: Liveness
  /** Milliseconds since it was written or renewed. */
  readonly ageMs: number
}

/** Nonces of the locks that this process holds: its files with another nonce are left from a failed release. */
export const heldNonces = new Set<string>()

export function diskOf({ disk }: LockFiles): Disk {
  return disk ?? realDisk
}

export function lockFile({ path }: LockFiles, n: number): string {
  return `${path}${n}`
}

/** The marker of a release. */
export function releasedFile(files: LockFiles, n: number): string {
  return `${lockFile(files, n)}.released`
}

/** The record of the newest lock that was not released, whether its process lives or not. Reads only. */
export async function newestLock<P>(files: LockFiles): Promise<LockRecord<P> | undefined> {
  if (!diskOf(files).statSync(dirname(files.path))) return undefined
  const highest = await highestLock(files)
  if (highest === 0 || isReleased(files, highest)) return undefined
  return readRecord(files, lockFile(files, highest), highest)
}

/** Counts markers too: a power cut may keep the marker of a number and lose its lock, and that number is used up. */
export async function highestLock(files: LockFiles): Promise<number> {
  return Math.max(0, ...(await lockNames(files)).map(({ n }) => n))
}

/** The files of this lock, markers included. */
export async function lockNames(
  files: LockFiles,
): Promise<readonly { readonly name: string; readonly n: number }[]> {
  const prefix = basename(files.path)
  const own: { name: string; n: number }[] = []
  for (const name of await diskOf(files).list(dirname(files.path))) {
    if (!name.startsWith(prefix)) continue // a folder may have the locks of thousands of records
    const found = /^(\d{1,15})(\.released)?$/.exec(name.slice(prefix.length))
    if (found) own.push({ name, n: Number(found[1]) })
  }
  return own
}

/** The number of a removed file is soon used again, so its time counts too. */
export function isSameFile(a: FileFacts | undefined, b: FileFacts | undefined): boolean {
  return a !== undefined && a.inode === b?.inode && a.modifiedMs === b.modifiedMs
}

function isReleased(files: LockFiles, n: number): boolean {
  return diskOf(files).statSync(releasedFile(files, n)) !== undefined
}

/** The record of the process that holds generation `n`; undefined if it is free. */
export async function holderOf<P>(judge: LockJudge<P>, n: number): Promise<LockRecord<P> | undefined> {
  return isReleased(judge, n) ? undefined : await holderAt(judge, lockFile(judge, n), n)
}

const HALF_WRITTEN_MS = 5_000

/** The record of the process that holds the lock by the file at `path`; undefined if it is free. */
export async function holderAt<P>(
  judge: LockJudge<P>,
  path: string,
  n: number,
): Promise<LockRecord<P> | undefined> {
  const { processes = systemProcesses, now = Date.now, isHeld = isNotDead } = judge
  const facts = diskOf(judge).statSync(path)
  if (facts?.kind !== 'file') return undefined
  const ageMs = now() - facts.modifiedMs
  const record = facts.size === 0 ? undefined : readRecord<P>(judge, path, n)
  if (!record) {
    const isYoung = judge.withoutLinks === true && ageMs < HALF_WRITTEN_MS
    return isYoung ? ({ ...processes.self, n, nonce: '' } as LockRecord<P>) : undefined // represents a writer not known yet
  }
  const liveness = judgeProcess(processes, record)
  if (isLeftHere(processes, record, liveness)) return undefined
  return (await isHeld(record, { liveness, ageMs })) ? record : undefined
}

function isNotDead(_record: LockRecord, { liveness }: SeenLock): boolean {
  return liveness !== 'dead'
}

/** True for a file of this process that its release did not reach. */
function isLeftHere({ self }: Processes, record: LockRecord, liveness: Liveness): boolean {
  if (liveness === 'dead' || liveness === 'remote' || heldNonces.has(record.nonce)) return false
  const { pid, start, host, pidns = self.pidns } = record
  return pid === self.pid && start === self.start && host === self.host && pidns === self.pidns
}

/** Undefined for a file that is missing or that no satchel wrote: a lock file appears whole. */
export function readRecord<P>(files: LockFiles, path: string, n: number): LockRecord<P> | undefined {
  try {
    const value: unknown = JSON.parse(diskOf(files).readFileSync(path).toString('utf8'))
    if (!isJsonObject(value) || typeof value['host'] !== 'string') return undefined
    const { pid } = value
    if (typeof pid !== 'number' || !Number.isInteger(pid) || pid < 1) return undefined
    if (files.isPayload && !files.isPayload(value)) return undefined
    return { nonce: '', ...value, n } as unknown as LockRecord<P> // each member was just checked
  } catch {
    return undefined
  }
}
