import { readFileSync } from 'node:fs'

/**
 * When a process started, in clock ticks since boot (field 22 of `/proc/<pid>/stat`): with the pid it names a
 * process for ever, where the pid alone is reused. Undefined where there is no such process or no `/proc`.
 */
export function processStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field is the command in parentheses and may itself hold spaces and parentheses.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
