import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** What a process took from its start to its end. */
export interface ProcessCost {
  readonly cpuMs: number
  readonly wallMs: number
  readonly peakMib: number
}

/** CPU in milliseconds of plain ways to search the latest versions of the same modules, from their files. */
export interface PeerCosts {
  /** MiniSearch, loaded from its JSON, and one search. */
  readonly miniSearch: number
  /** vectra as it is shipped, loaded, and one query. */
  readonly vectra: number
  /** Reading one file of numbers, and a scan with four accumulators: nothing that finds all can do less. */
  readonly scan: number
}

/** Written to file descriptor 3 at the end of the process. */
const REPORT = `import { writeSync } from 'node:fs'
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  writeSync(3, JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMib: maxRSS / 1024 }))
})`

/** Runs a Node program until it ends and asks it what it took. Fails unless it exits with 0. */
export async function measureProcess(
  [command = process.execPath, ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ProcessCost> {
  const began = performance.now()
  const preload = `--import=data:text/javascript,${encodeURIComponent(REPORT)}`
  const child = spawn(command, [preload, ...args], { env, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] })
  let report = ''
  let errors = ''
  child.stdio[3]?.on('data', (chunk: Buffer) => {
    report += chunk.toString()
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${errors.slice(-500)}`)
  return { ...(JSON.parse(report) as Omit<ProcessCost, 'wallMs'>), wallMs: performance.now() - began }
}
