/** The processes of the test runner, one for each group of test files: their time limit, their processor time and their end. */
import { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { TestGroup } from './test-groups.ts'

/** How long a process may outlive its tests, for example to write its coverage. */
const LINGER_MS = 5_000
/** Of the units in which Linux counts processor time; 100 on every architecture that Node supports. */
const TICKS_PER_SECOND = 100

/** What the process of a group took, with all processes that it started and waited for. */
export interface GroupUsage {
  readonly group: TestGroup
  readonly wallSeconds: number
  /** undefined where the system does not tell. */
  readonly processorSeconds: number | undefined
}

interface Options {
  readonly groups: readonly TestGroup[]
  limitMs(group: TestGroup): number
  /** Whether what it runs counts for coverage, where that is counted. */
  isCounted(group: TestGroup): boolean
  onEnd(usage: GroupUsage): void
}

interface SpawnOptions {
  readonly args: readonly string[]
  readonly envPairs: readonly string[]
}
type Spawn = (this: ChildProcess, options: SpawnOptions) => number

/**
 * Gives the process of each group of test files a process group of its own, which is killed when its time is over and when it leaves
 * processes behind. Node's own limit is not enough: from version 24 on it ends a test, but not the process that the
 * test keeps alive. Returns a function that kills all of them.
 */
export function superviseTestGroups({ groups, limitMs, isCounted, onEnd }: Options): () => void {
  const prototype: { spawn: Spawn } = ChildProcess.prototype as never // not part of the documented interface
  const spawn = prototype.spawn
  const running = new Set<ChildProcess>()

  prototype.spawn = function spawnInGroup(options) {
    const words = new Set(options.args.map((word) => resolve(word)))
    const group = groups.find(({ entry }) => words.has(resolve(entry)))
    if (group === undefined) return spawn.call(this, options)
    const isKept = (pair: string): boolean => isCounted(group) || !pair.startsWith('NODE_V8_COVERAGE=')
    const [program = '', ...rest] = options.args
    const args = [program, '--expose-internals', ...rest] // what typescript.mjs is quicker with
    const given = { ...options, args, envPairs: options.envPairs.filter(isKept), detached: true }
    const result = spawn.call(this, given)
    running.add(this)
    supervise(this, group)
    return result
  }

  function supervise(child: ChildProcess, group: TestGroup): void {
    const startedAt = performance.now()
    const limit = limitMs(group)
    let timer = setTimeout(() => {
      console.error(
        `\nTIMEOUT: ${group.files.join(' ')} did not end within ${limit / 1000} s and was killed.`,
      )
      killGroup(child)
    }, limit)
    child.once('exit', () => {
      clearTimeout(timer)
      timer = setTimeout(() => killGroup(child), LINGER_MS)
    })
    child.once('exit', () => onEnd(usageOf(group, startedAt)))
    child.once('close', () => {
      clearTimeout(timer)
      running.delete(child)
    })
  }

  /** What all children took that were reported before; the rest belongs to the one that ends now. */
  let reported = processorSecondsOfChildren() ?? 0
  function usageOf(group: TestGroup, startedAt: number): GroupUsage {
    const total = processorSecondsOfChildren()
    const processorSeconds = total === undefined ? undefined : total - reported
    reported = total ?? 0
    return { group, wallSeconds: (performance.now() - startedAt) / 1000, processorSeconds }
  }

  return () => running.forEach(killGroup)
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch {
    // The group has ended.
  }
}

/** Processor time of this process's children that have ended. */
function processorSecondsOfChildren(): number | undefined {
  try {
    // The name in parentheses may contain spaces; `cutime` and `cstime` are the 14th and 15th value after it.
    const values = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(values[13]) + Number(values[14])) / TICKS_PER_SECOND
  } catch {
    return undefined
  }
}
