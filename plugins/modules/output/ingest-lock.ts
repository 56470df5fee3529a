import { basename, dirname, join } from 'node:path'
import {
  type Disk,
  type LockOptions,
  makeDirectoryDurably,
  type ProcessLock,
  takeLock,
  waitForLock,
} from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'

const BEAT_MS = 60_000
/** A holder on another machine (a shared volume) counts as dead if it has not renewed its lock for this long. */
const SILENT_MS = 10 * BEAT_MS

/** How long a search that keeps its index is waited for: it only writes one that is made. */
const BRIEF_MS = 5_000

/** What a lock says of its holder. */
interface IngestLockNote {
  /** It is held for one write: others wait for it. */
  readonly isBrief?: boolean
}

/**
 * Takes the lock at `path`, whose folder exists; waits up to `waitMs` for its holder, and for one that is brief.
 * Errors: `conflict`/`ingest_running`; the file system's own.
 */
export async function takeIngestLock(
  path: string,
  { waitMs = 0, disk }: { readonly waitMs?: number; readonly disk?: Disk | undefined } = {},
): Promise<ProcessLock> {
  const options = { ...ingestLock(path), disk }
  await makeDirectoryDurably(dirname(options.path), undefined, disk)
  let attempt = await waitForLock(options, waitMs)
  if (attempt.kind === 'held' && attempt.record.isBrief) attempt = await waitForLock(options, BRIEF_MS)
  if (attempt.kind === 'owner') return attempt.lock
  throw refusals.ingest_running()
}

/** Takes the lock at `path` for one write; undefined where another process has it. Errors: the file system's own. */
export async function takeFreeIngestLock(path: string, disk: Disk): Promise<ProcessLock | undefined> {
  const options = { ...ingestLock(path), payload: { isBrief: true }, disk }
  await makeDirectoryDurably(dirname(options.path), undefined, disk)
  const attempt = await takeLock(options)
  return attempt.kind === 'owner' ? attempt.lock : undefined
}

/** The lock at `path`: its generations in `.locks` beside it, and `path` itself for satchel 0.1.0. */
export function ingestLock(path: string): LockOptions<IngestLockNote> {
  return {
    path: join(dirname(path), '.locks', `${basename(path)}.`),
    formerPath: path,
    released: 'marker',
    withoutLinks: true,
    beatMs: BEAT_MS,
    isHeld: (_record, { liveness, ageMs }) =>
      liveness === 'alive' || (liveness !== 'dead' && ageMs < SILENT_MS),
  }
}
