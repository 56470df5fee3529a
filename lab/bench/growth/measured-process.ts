import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** What a process took from its start to its end. */
export interface ProcessCost {
  readonly cpuMs: number
  readonly wallMs: number
  readonly peakMib: number
  /** Bytes on standard output. */
  readonly printed: number
}

/** CPU in milliseconds of plain ways to search the latest versions of the same modules, from their files. */
export interface PeerCosts {
  /** MiniSearch, loaded from its JSON, and one search. */
  readonly miniSearch: number
  /** vectra as it is shipped, loaded, and one query. */
  readonly vectra: number
  /** sqlite-vec in the SQLite of Node, and one query; absent where one of them is missing. */
  readonly sqliteVec?: number
  /** Reading one file of numbers, and a scan with four accumulators: nothing that finds all can do less. */
  readonly scan: number
}

/** Written to file descriptor 3 at the end of the process. */
const REPORT = `import { writeSync } from 'node:fs'
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  writeSync(3, JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMib: maxRSS / 1024 }))
})`

/** Runs a Node program with `input` until it ends and asks it what it took. Fails unless it exits with 0. */
export async function measureProcess(
  [command = process.execPath, ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  { input = '', cwd }: { readonly input?: string; readonly cwd?: string } = {},
): Promise<ProcessCost> {
  const began = performance.now()
  const preload = `--import=data:text/javascript,${encodeURIComponent(REPORT)}`
  const child = spawn(command, [preload, ...args], { cwd, env, stdio: ['pipe', 'pipe', 'pipe', 'pipe'] })
  let report = ''
  let errors = ''
  let printed = 0
  child.stdout?.on('data', (chunk: Buffer) => {
    printed += chunk.length
  })
  child.stdio[3]?.on('data', (chunk: Buffer) => {
    report += chunk.toString()
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  child.stdin?.on('error', () => {}) // it may end before it read everything
  child.stdin?.end(input)
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${errors.slice(-500)}`)
  const { cpuMs, peakMib } = JSON.parse(report) as Pick<ProcessCost, 'cpuMs' | 'peakMib'> // as written above
  return { cpuMs, peakMib, printed, wallMs: performance.now() - began }
}
