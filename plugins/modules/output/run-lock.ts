import { randomBytes } from 'node:crypto'
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { processStart } from '../../../server/plugin.ts'
import { isErrnoException } from '../errno.ts'
import { refusals } from '../reasons.ts'

/** Held until `release`, which the owner calls once. */
export interface RunLock {
  release(): Promise<void>
}

interface Holder {
  readonly pid: number
  readonly start: string | undefined
  readonly host: string
  readonly nonce: string
}

const BEAT_MS = 60_000
/** A holder on another machine (a shared volume) counts as gone when its lock has not been touched for so long. */
const FOREIGN_STALE_MS = 10 * BEAT_MS

/**
 * Takes the lock file at `path`, at once or not at all; its folder must exist.
 * The lock of a process that is gone is taken over. Errors: `conflict`/`ingest_running`.
 */
export async function takeLock(path: string, now: () => Date): Promise<RunLock> {
  const nonce = randomBytes(8).toString('hex')
  const mine: Holder = { pid: process.pid, start: processStart(process.pid), host: hostname(), nonce }
  const draft = `${path}.${nonce}`
  await writeFile(draft, JSON.stringify(mine))
  try {
    // A link makes the lock appear with its content: nobody reads half of it.
    if (
      !(await placed(draft, path)) &&
      !((await tookOver(path, nonce, now)) && (await placed(draft, path)))
    ) {
      throw refusals.ingest_running()
    }
  } finally {
    await rm(draft, { force: true })
  }
  return held(path, nonce, now)
}

function held(path: string, nonce: string, now: () => Date): RunLock {
  const beat = setInterval(() => {
    const at = now()
    utimes(path, at, at).catch(() => undefined) // a hint for other machines; the lock holds without it
  }, BEAT_MS)
  beat.unref()
  return {
    async release() {
      clearInterval(beat)
      if ((await holderOf(path))?.nonce === nonce) await rm(path, { force: true })
    },
  }
}

async function placed(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path)
    return true
  } catch (thrown) {
    if (isErrnoException(thrown) && thrown.code === 'EEXIST') return false
    if (!isErrnoException(thrown) || !['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK'].includes(thrown.code ?? ''))
      throw thrown
  }
  // A file system without links.
  return writeFile(path, await readFile(draft), { flag: 'wx' }).then(
    () => true,
    (thrown) => {
      if (isErrnoException(thrown) && thrown.code === 'EEXIST') return false
      throw thrown
    },
  )
}

/** Moves a dead holder's lock away. False when it is alive, or another process was faster. */
async function tookOver(path: string, nonce: string, now: () => Date): Promise<boolean> {
  const seen = await holderOf(path)
  if (seen !== undefined && (await isAlive(path, seen, now))) return false
  const aside = `${path}.stale-${nonce}`
  try {
    await rename(path, aside)
  } catch (thrown) {
    if (isErrnoException(thrown) && thrown.code === 'ENOENT') return true
    throw thrown
  }
  const moved = await holderOf(aside)
  const isTheDeadOne = moved?.nonce === seen?.nonce
  // Somebody took over between our look and our move: give the place back.
  if (!isTheDeadOne) await link(aside, path).catch(() => undefined)
  await rm(aside, { force: true })
  return isTheDeadOne
}

async function isAlive(path: string, holder: Holder, now: () => Date): Promise<boolean> {
  if (holder.host !== hostname()) {
    const touched = (await stat(path).catch(() => undefined))?.mtimeMs ?? 0
    return now().getTime() - touched < FOREIGN_STALE_MS
  }
  try {
    process.kill(holder.pid, 0)
  } catch (thrown) {
    if (isErrnoException(thrown) && thrown.code === 'ESRCH') return false
  }
  return holder.start === undefined || processStart(holder.pid) === holder.start
}

async function holderOf(path: string): Promise<Holder | undefined> {
  try {
    const read: unknown = JSON.parse(await readFile(path, 'utf8'))
    return isHolder(read) ? read : undefined
  } catch {
    return undefined // gone, or a file system without links left half of it: not a holder
  }
}

function isHolder(read: unknown): read is Holder {
  if (typeof read !== 'object' || read === null) return false
  const { pid, host, nonce } = read as Partial<Holder> // each field is looked at next
  return Number.isInteger(pid) && typeof host === 'string' && typeof nonce === 'string'
}
