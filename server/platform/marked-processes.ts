import { readdir, readFile } from 'node:fs/promises'

/** The environment entry by which the processes of one child are known, also those whose parent has ended. */
export const CALL_MARK = 'SATCHEL_CHILD_CALL'

/** A process may start another while the list is read. */
const ROUNDS = 3

/**
 * Ends every process whose environment has this mark. git does not end its helpers, and one that waits for the first
 * words of a silent TLS server would stay for five minutes. Does nothing where the system has no `/proc`.
 */
export async function endMarkedProcesses(mark: string): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const left = await processesOf(mark)
    if (left.length === 0) return
    for (const pid of left) end(pid)
  }
}

async function processesOf(mark: string): Promise<number[]> {
  const names = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    names.map(async (name) => {
      const environment = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '')
      return environment.split('\0').includes(`${CALL_MARK}=${mark}`) ? [Number(name)] : []
    }),
  )
  return found.flat()
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself.
  }
}
