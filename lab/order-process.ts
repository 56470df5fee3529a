import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A program of the lab in a process of its own: each line of its input is an order in JSON, each of its output an answer. */
export interface OrderProcess {
  /**
   * What the program answers. Errors: what it says under `failed`; that it ended, with the last it said; an abort after
   * `limitMs`.
   */
  order<T>(name: string, facts?: object): Promise<T>
  close(): Promise<void>
}

/** Starts a program. The caller closes it. `limitMs`: for one answer. */
export function startOrderProcess(
  [command = process.execPath, ...args]: readonly string[],
  { cwd, limitMs }: { readonly cwd?: string; readonly limitMs?: number } = {},
): OrderProcess {
  const child = spawn(command, args, { cwd, stdio: 'pipe' })
  child.stdin.on('error', () => {}) // it may end before it read everything
  const lines = createInterface({ input: child.stdout })
  const fault = faultOf(child)
  const ended = once(child, 'close').then(() => {
    throw new Error(fault())
  })
  ended.catch(() => undefined) // one that ends after its last answer did what it should
  return {
    async order<T>(name: string, facts: object = {}) {
      const limit = limitMs === undefined ? {} : { signal: AbortSignal.timeout(limitMs) }
      const answer = once(lines, 'line', limit)
      child.stdin.write(`${JSON.stringify({ order: name, ...facts })}\n`)
      const [line] = await Promise.race([answer, ended])
      const said = JSON.parse(String(line))
      if (said.failed !== undefined) throw new Error(said.failed)
      return said as T // what the program answers to this order
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** What is wrong, of the trace of an error: its first line that names one. */
function faultOf(child: ChildProcessWithoutNullStreams): () => string {
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4000)
  })
  return () =>
    /^\S*Error.*$/m.exec(said)?.[0] ?? (said.trim().split('\n').at(-1) || 'it ended without a word')
}
