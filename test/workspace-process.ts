import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { envelope, modern, WITH_TASKS } from '../server/mcp/testing/messages.ts'
import { killed } from './harness/killed.ts'
import { undoAfter } from './harness/undo.ts'
import { SATCHEL } from './satchel-process.ts'

const ROOT = join(import.meta.dirname, '..')
const [, ...WORDS] = SATCHEL

/** The program as it is shipped: it starts in a tenth of the time, which counts where there are many. */
export const BUILT: readonly string[] = [join(ROOT, 'dist', 'satchel.js')]

const NOTED_WITHIN_MS = 60_000

interface Note {
  readonly method?: string
  readonly params?: { readonly uri?: string; readonly taskId?: string }
}

/** A process that serves stdio, and its client. */
export interface RoomProcess {
  readonly child: ChildProcess
  readonly name: string
  /** Everything that came without an id, in order. */
  readonly notes: readonly Note[]
  /** The result of a request, or its `error` under that name. */
  send(method: string, params: object): Promise<Record<string, unknown>>
  /** The data of a tool's result, or the task in its place. */
  call(tool: string, input: object): Promise<Record<string, unknown>>
  /** True as soon as a note is enough; false after a minute. */
  noted(enough: (note: Note) => boolean): Promise<boolean>
}

export interface RoomProcessOptions {
  readonly name: string
  /** After `satchel mcp`. */
  readonly args: readonly string[]
  readonly program?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** The folder of its project; absent: that of this process. */
  readonly cwd?: string
}

/** `satchel mcp …` in a process of its own, spoken to over its pipes; killed after the test. */
export function spawnRoomProcess(t: TestContext, options: RoomProcessOptions): RoomProcess {
  const { name, args, program = WORDS, env, cwd } = options
  const child = spawn(process.execPath, [...program, 'mcp', ...args, '--name', name], {
    stdio: ['pipe', 'pipe', 'ignore'],
    ...(env && { env: { ...process.env, ...env } }),
    ...(cwd !== undefined && { cwd }),
  })
  undoAfter(t, () => killed(child))
  child.stdin.on('error', () => {}) // it may have been killed
  const waiting = new Map<number, (answer: Record<string, unknown>) => void>()
  const notes: Note[] = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as { id?: number; result?: Record<string, unknown>; error?: object }
    if (message.id === undefined) return void notes.push(message as Note)
    waiting.get(message.id)?.(message.result ?? { error: message.error })
    waiting.delete(message.id)
  })
  let last = 0
  const send = (method: string, params: object): Promise<Record<string, unknown>> => {
    last += 1
    const clientInfo = { 'io.modelcontextprotocol/clientInfo': { name, version: '1' } }
    const message = modern(last, method, { ...params, _meta: envelope(clientInfo, WITH_TASKS) })
    child.stdin.write(`${JSON.stringify(message)}\n`)
    return new Promise((resolve) => waiting.set(last, resolve))
  }
  return {
    child,
    name,
    notes,
    send,
    async call(tool, input) {
      const result = await send('tools/call', { name: tool, arguments: input })
      return (result['structuredContent'] ?? result) as Record<string, unknown> // a result, or a task
    },
    async noted(enough) {
      const deadline = performance.now() + NOTED_WITHIN_MS
      while (!notes.some(enough) && performance.now() < deadline) await pause(20)
      return notes.some(enough)
    },
  }
}

/** The process that owns the room now: the newest lock names it. */
export function ownerPid(sidecar: string): number {
  const newest = Math.max(...readdirSync(sidecar).map((name) => Number(/^lock-(\d+)$/.exec(name)?.[1] ?? 0)))
  return (JSON.parse(readFileSync(join(sidecar, `lock-${newest}`), 'utf8')) as { pid: number }).pid
}
