import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/**
 * What every script of ours for a rival begins with: it is text, because it imports packages that are in the cache only.
 * `serve` answers each line of standard input, an order in JSON, by one line.
 */
export const RIVAL_HEAD = `import { createInterface } from 'node:readline'
const say = (value) => process.stdout.write(JSON.stringify(value) + '\\n')
async function serve(orders) {
  say({ ready: true })
  for await (const line of createInterface({ input: process.stdin })) {
    const { order, ...rest } = JSON.parse(line)
    say((await orders[order](rest)) ?? {})
  }
  process.exit(0)
}
const cpuOf = async (work) => {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
`

/** A script that runs beside the bench. The caller closes it. */
export interface Rival {
  /** Errors: a script that ended, with the last it said. */
  ask(order: object): Promise<Readonly<Record<string, number>>>
  close(): Promise<void>
}

/** Starts it and waits until it is ready. Errors: as `ask`. */
export async function startRival(command: readonly string[], cwd: string): Promise<Rival> {
  const [node = process.execPath, ...args] = command
  const child = spawn(node, args, { cwd, stdio: 'pipe' })
  child.stdin.on('error', () => {}) // it may end before it read everything
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const errors = lastLinesOf(child)
  const next = async (): Promise<Readonly<Record<string, number>>> => {
    const line = await lines.next()
    if (line.done) throw new Error(errors())
    return JSON.parse(line.value)
  }
  await next()
  return {
    async ask(order) {
      child.stdin.write(`${JSON.stringify(order)}\n`)
      return await next()
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** What is wrong, of the trace of an error: its first line that names one. */
function lastLinesOf(child: ChildProcessWithoutNullStreams): () => string {
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4000)
  })
  return () =>
    /^\S*Error.*$/m.exec(said)?.[0] ?? (said.trim().split('\n').at(-1) || 'it ended without a word')
}
