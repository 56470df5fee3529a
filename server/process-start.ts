import { readFileSync } from 'node:fs'

/**
 * When a process started, in clock ticks since boot (field 22 of `/proc/<pid>/stat`): with the pid it names a
 * process for ever, where the pid alone is reused. Undefined where there is no such process, where it has ended and
 * only its parent has not looked yet, or where there is no `/proc`.
 */
export function processStart(pid: number): string | undefined {
  const fields = statFields(pid)
  return fields === undefined || hasEnded(fields) ? undefined : fields[19]
}

/** True for a process that has ended but whose parent has not looked yet: a signal still finds it. */
export function isZombie(pid: number): boolean {
  const fields = statFields(pid)
  return fields !== undefined && hasEnded(fields)
}

/** The fields of `/proc/<pid>/stat` from the third on. */
function statFields(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field is the command in parentheses and may itself hold spaces and parentheses.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

function hasEnded([state = '']: readonly string[]): boolean {
  return state === 'Z' || state === 'X'
}
