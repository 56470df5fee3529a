import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A program of the lab in a process of its own: each line of its input is an order in JSON, each of its output an answer. */
export interface OrderProcess {
  /** What the program answers. Errors: what it says under `failed`, that it ended, and an abort after `limitMs`. */
  order<T>(name: string, facts?: object): Promise<T>
  close(): Promise<void>
}

/** Starts the source text of a program. The caller closes it. */
export function startOrderProcess(program: string, limitMs?: number): OrderProcess {
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  const ended = once(lines, 'close').then(() => {
    throw new Error('A program of the lab ended before it answered.')
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
      child.stdin.end()
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}
