import { execFileSync } from 'node:child_process'
import { parentProcess, processStart } from './process-liveness.ts'

/** A process and when it started; a pid alone is reused. */
export interface ProcessMark {
  readonly pid: number
  /** Empty where the system does not tell. */
  readonly start: string
}

/** The parent of a process, and when the parent started. */
type ParentOf = (pid: number) => ProcessMark | undefined

/**
 * The ancestors of this process, nearest first, without the first process of the system. Where there is no `/proc`,
 * `ps` tells; where there is neither, only the parent is known.
 */
export function ancestorProcesses(levels: number): readonly ProcessMark[] {
  if (parentProcess(process.pid) !== undefined) return ancestorsBy(parentInProc, levels)
  const listed = listProcesses()
  if (listed) return ancestorsBy(parentIn(listed), levels)
  return process.ppid > 1 ? [{ pid: process.ppid, start: '' }] : []
}

function ancestorsBy(parentOf: ParentOf, levels: number): readonly ProcessMark[] {
  const ancestors: ProcessMark[] = []
  for (let at = parentOf(process.pid); at && ancestors.length < levels; at = parentOf(at.pid))
    ancestors.push(at)
  return ancestors
}

function parentInProc(of: number): ProcessMark | undefined {
  const pid = parentProcess(of)
  const start = pid === undefined || pid <= 1 ? undefined : processStart(pid)
  return pid === undefined || start === undefined ? undefined : { pid, start }
}

const PS_LIMIT_MS = 500

/** What `ps` lists; undefined where it does not run. */
function listProcesses(): string | undefined {
  try {
    return execFileSync('ps', ['-A', '-o', 'pid=,ppid=,lstart='], {
      encoding: 'utf8',
      timeout: PS_LIMIT_MS,
      env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } catch {
    return undefined // no such program
  }
}

/** Reads lines of `pid ppid start`. */
export function parentIn(listed: string): ParentOf {
  const rows = new Map(
    listed.split('\n').flatMap((line) => {
      const [, pid, parent, start] = /^\s*(\d+)\s+(\d+)\s+(\S.*?)\s*$/.exec(line) ?? []
      return start === undefined ? [] : [[Number(pid), { parent: Number(parent), start }] as const]
    }),
  )
  return (of) => {
    const pid = rows.get(of)?.parent
    const start = pid === undefined || pid <= 1 ? undefined : rows.get(pid)?.start
    return pid === undefined || start === undefined ? undefined : { pid, start }
  }
}
