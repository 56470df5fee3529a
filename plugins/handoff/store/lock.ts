import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isZombie, processStart, type SatchelError } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import { asLinkError, type Disk, dropTemp, orMissing, systemCode } from './disk.ts'
import { type Layout, newTemp } from './layout.ts'

/**
 * A lock made of generations: the holder of `<name>.<n>` with the highest n holds it. Unlinking a stale lock file
 * would let two breakers both win; a higher generation has exactly one winner, because `link` fails when the name
 * exists (design handoff-store, section 1).
 */
export interface Locks {
  readonly disk: Disk
  readonly layout: Layout
  readonly now: () => number
}

/** Held until `withLock` returns. */
export interface HeldLock {
  /** Refuses to go on when somebody took the lock over. Errors: `conflict`/`locked`. */
  check(): Promise<void>
}

interface Holder {
  readonly pid: number
  readonly host: string
  readonly start: string | undefined
}

/**
 * Lock files that this process holds now. One that names this process and is not here was left when its release
 * failed: nobody holds it.
 */
const heldHere = new Set<string>()

const STALE_AFTER_MS = 60_000
const LONGEST_WAIT_MS = 5_000
const SHORT_PAUSE_MS = 4 // 1 to 5 ms: design handoff-store, section 1
/** Short beside the 5 s that anybody waits: whoever has the bad luck of looking when it is held still looks over 100 times. */
const LONG_PAUSE_MS = 31

/** Runs `action` while holding the lock `name`. Errors: `conflict`/`locked` naming the holder after 5 s. */
export async function withLock<T>(
  locks: Locks,
  name: string,
  action: (held: HeldLock) => Promise<T>,
): Promise<T> {
  const generation = await acquire(locks, name)
  try {
    return await action({ check: () => refuseIfTaken(locks, name, generation) })
  } finally {
    await release(locks, name, generation)
  }
}

async function acquire(locks: Locks, name: string): Promise<number> {
  const deadline = locks.now() + LONGEST_WAIT_MS
  for (let pauses = 0; ; ) {
    const highest = (await generations(locks, name)).at(-1) ?? 0
    let holder = highest === 0 ? undefined : await liveHolder(locks, name, highest)
    if (!holder) {
      const mine = highest + 1
      if ((await claim(locks, name, mine)) && (await settled(locks, name, mine))) return mine
    }
    // While that generation is held there is no higher one: its own file tells enough, and costs less than the whole folder.
    do {
      if (locks.now() > deadline) throw lockedBy(name, holder)
      await wait(pauseMs(pauses++, randomBytes(1).readUInt8() / 256))
      holder &&= await liveHolder(locks, name, highest)
    } while (holder)
  }
}

/**
 * How long to wait after having looked `pauses` times before: 1 to 5 ms at first, for a lock that is soon free; up to 32 ms
 * later, so that many who wait do not keep the one who works from working. `chance` is from 0 up to 1: who waits together
 * looks at different times.
 */
export function pauseMs(pauses: number, chance: number): number {
  const longest = Math.min(SHORT_PAUSE_MS * 2 ** Math.min(pauses, 10), LONG_PAUSE_MS)
  return 1 + Math.floor(chance * longest)
}

/** Numbers of the generations there are, rising. */
async function generations({ disk, layout }: Locks, name: string): Promise<number[]> {
  const prefix = `${name}.`
  const numbers = (await disk.list(layout.locks))
    .filter((file) => file.startsWith(prefix) && /^[0-9]{1,15}$/.test(file.slice(prefix.length)))
    .map((file) => Number(file.slice(prefix.length)))
  return numbers.sort((a, b) => a - b)
}

/** Who holds a generation; undefined when it is free: released, gone, dead or older than a minute. */
async function liveHolder(locks: Locks, name: string, generation: number): Promise<Holder | undefined> {
  const file = fileOf(locks, name, generation)
  const stat = await orMissing(locks.disk.stat(file))
  if (!stat || stat.size === 0) return undefined
  const holder = parseHolder(await orMissing(locks.disk.read(file)))
  if (!holder || locks.now() - stat.mtimeMs > STALE_AFTER_MS) return undefined
  const isLeft = holder.pid === process.pid && isHere(holder) && !heldHere.has(file)
  return isLeft || isDead(holder) ? undefined : holder
}

function isHere({ host, start }: Holder): boolean {
  return host === hostname() && start === processStart(process.pid)
}

function parseHolder(content: Buffer | undefined): Holder | undefined {
  if (!content || content.length === 0) return undefined
  try {
    const value: Partial<Holder> = JSON.parse(content.toString('utf8'))
    if (typeof value.pid !== 'number' || typeof value.host !== 'string') return undefined
    return { pid: value.pid, host: value.host, start: value.start }
  } catch {
    return undefined // a lock file that is no JSON has no living holder: it is written whole before it is linked
  }
}

function isDead({ pid, host, start }: Holder): boolean {
  if (host !== hostname()) return false
  try {
    process.kill(pid, 0)
  } catch (thrown) {
    return systemCode(thrown) === 'ESRCH'
  }
  const present = processStart(pid)
  // Killed by a parent that does not look after its children: a signal still finds it, and it will never let go.
  if (present === undefined) return isZombie(pid)
  return start !== undefined && start !== present
}

/** Takes a generation; false when somebody was faster. The file appears whole: an empty one means released. */
async function claim(locks: Locks, name: string, generation: number): Promise<boolean> {
  const { disk, layout } = locks
  const temp = newTemp(layout, 'lock')
  const holder: Holder = { pid: process.pid, host: hostname(), start: processStart(process.pid) }
  try {
    await disk.writeNew(temp, JSON.stringify(holder))
    await disk.link(temp, fileOf(locks, name, generation))
    heldHere.add(fileOf(locks, name, generation))
    return true
  } catch (thrown) {
    if (systemCode(thrown) === 'EEXIST') return false
    throw asLinkError(thrown)
  } finally {
    await dropTemp(disk, temp)
  }
}

/** Settles a claim; when that fails, the claim is given back. */
async function settled(locks: Locks, name: string, mine: number): Promise<boolean> {
  try {
    return await settle(locks, name, mine)
  } catch (thrown) {
    await release(locks, name, mine)
    throw thrown
  }
}

/** After a claim: gives way to a higher generation, else removes the lower ones. */
async function settle(locks: Locks, name: string, mine: number): Promise<boolean> {
  const all = await generations(locks, name)
  if ((all.at(-1) ?? 0) > mine) {
    heldHere.delete(fileOf(locks, name, mine))
    await orMissing(locks.disk.unlink(fileOf(locks, name, mine)))
    return false
  }
  for (const lower of all) if (lower < mine) await orMissing(locks.disk.unlink(fileOf(locks, name, lower)))
  return true
}

async function refuseIfTaken(locks: Locks, name: string, mine: number): Promise<void> {
  const highest = (await generations(locks, name)).at(-1) ?? 0
  if (highest !== mine) throw lockedBy(name, undefined)
}

async function release(locks: Locks, name: string, generation: number): Promise<void> {
  const file = fileOf(locks, name, generation)
  heldHere.delete(file)
  try {
    await orMissing(locks.disk.empty(file))
  } catch (thrown) {
    // The work is done and on disk: that the file stays full only makes others wait, at most a minute.
    if (systemCode(thrown) === undefined) throw thrown
  }
}

function fileOf({ layout }: Locks, name: string, generation: number): string {
  return join(layout.locks, `${name}.${generation}`)
}

function lockedBy(name: string, holder: Holder | undefined): SatchelError {
  const who = holder ? `process ${holder.pid} on ${holder.host}` : 'another process'
  const details = { name, ...(holder && { pid: holder.pid, host: holder.host }) }
  return refusals.locked({ name, holder: who }, { details })
}
