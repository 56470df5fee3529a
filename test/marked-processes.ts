import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

/** The name in the environment of a process, handed on to all below it, by which a test knows its own. */
export const TEST_MARK = 'SATCHEL_TEST_MARK'

/** A killed process is there until it next gets the processor; one that is not ended stays for minutes. */
const LONGEST_DYING_MS = 20_000

/** Processes, ended ones excepted, whose environment holds this mark; none where there is no `/proc`. */
export async function processesMarked(mark: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const pid of (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))) {
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
    if (environment.split('\0').includes(`${TEST_MARK}=${mark}`)) found.push(pid)
  }
  return found
}

/** Those of the marked processes that have not been ended: empty as soon as none is left. */
export async function processesLeft(mark: string): Promise<readonly string[]> {
  const giveUp = performance.now() + LONGEST_DYING_MS
  for (;;) {
    const left = await processesMarked(mark)
    if (left.length === 0 || performance.now() > giveUp) return left
    await pause(25)
  }
}
