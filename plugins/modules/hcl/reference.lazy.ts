/** The reference parser, `@cdktf/hcl2json`, in a thread of its own: its first answer takes half a second and 30 MB. */
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import type { Reference, ReferenceAnswer } from './reference.ts'

// design modules 3.3
const KILL_MS = 5_000
const IDLE_MS = 10_000
/** Loading the parser is bounded apart from reading a text: a busy machine must not look like a hanging text. */
const LOAD_MS = 20_000

/** The thread is given as text, so that it works the same from source, from a bundle and under a loader. */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads')
const { parse } = require(workerData.entry)
parentPort.on('message', async (text) => {
  try { parentPort.postMessage({ kind: 'read', value: JSON.stringify(await parse('module.tf', text)) }) }
  catch (error) { parentPort.postMessage({ kind: 'failed', message: String(error && error.message || error) }) }
})
parse('module.tf', '').then(() => parentPort.postMessage({ kind: 'ready' }))
`

interface Options {
  /** File of a CommonJS module with `parse(name, text)`; the package itself when absent. */
  readonly entry?: string
  readonly killMs?: number
  readonly idleMs?: number
}

type Message =
  | { readonly kind: 'ready' }
  | { readonly kind: 'read'; readonly value: string }
  | { readonly kind: 'failed'; readonly message: string }

/**
 * Opens the reference. Its thread starts with the first question, is ended when a text takes longer than 5 s and after
 * 10 s without questions, and keeps no process alive. A missing package answers `unavailable`.
 */
export function openReference(options: Options = {}): Reference {
  let thread: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let turn: Promise<unknown> = Promise.resolve()
  let closed = false

  async function end(): Promise<void> {
    clearTimeout(idle)
    const ending = thread
    thread = undefined
    await ending?.terminate()
  }

  async function start(): Promise<Worker | ReferenceAnswer> {
    if (closed) return unavailable('The reference parser was closed.')
    if (thread !== undefined) return thread
    const entry = options.entry ?? findPackage()
    if (entry === undefined) return unavailable('@cdktf/hcl2json is not installed.')
    const starting = new Worker(THREAD, {
      eval: true,
      workerData: { entry },
      execArgv: [],
      stdout: true,
      stderr: true,
    })
    starting.on('error', () => undefined)
    thread = starting
    const first = await nextMessage(starting, LOAD_MS)
    if (first.kind === 'ready') return starting
    await end()
    return unavailable('The reference parser did not start.')
  }

  async function answer(text: string): Promise<ReferenceAnswer> {
    clearTimeout(idle)
    const started = await start()
    if (!(started instanceof Worker)) return started
    started.ref()
    started.postMessage(text)
    const message = await nextMessage(started, options.killMs ?? KILL_MS)
    if (message.kind === 'stopped') {
      await end()
      return unavailable(message.reason)
    }
    started.unref()
    // An error while an idle thread ends does not matter: the thread has ended.
    idle = setTimeout(() => void end(), options.idleMs ?? IDLE_MS).unref()
    return toAnswer(message)
  }

  return {
    ask(text) {
      const asked = turn.then(() => answer(text))
      turn = asked.catch(() => undefined)
      return asked
    },
    async close() {
      closed = true
      await end()
    },
  }
}

function findPackage(): string | undefined {
  const require = createRequire(import.meta.url)
  try {
    return require.resolve('@cdktf/hcl2json')
  } catch {
    return undefined
  }
}

function unavailable(message: string): ReferenceAnswer {
  return { kind: 'unavailable', message }
}

type Stopped = { readonly kind: 'stopped'; readonly reason: string }

/** The thread's next message, or why none will come. */
function nextMessage(thread: Worker, waitMs: number): Promise<Message | Stopped> {
  return new Promise((resolve) => {
    const settle = (result: Message | Stopped): void => {
      clearTimeout(timer)
      thread.off('message', settle)
      thread.off('exit', onExit)
      resolve(result)
    }
    const onExit = (): void =>
      settle({ kind: 'stopped', reason: 'The reference parser ended without an answer.' })
    const timer = setTimeout(() => {
      settle({ kind: 'stopped', reason: `The reference parser gave no answer within ${waitMs / 1000} s.` })
    }, waitMs)
    thread.on('message', settle)
    thread.on('exit', onExit)
  })
}

function toAnswer(message: Message): ReferenceAnswer {
  if (message.kind === 'failed') return { kind: 'failed', message: oneLine(message.message) }
  if (message.kind === 'ready') return unavailable('The reference parser answered out of turn.')
  const value: unknown = JSON.parse(message.value)
  // the package prints one JSON object per text
  return { kind: 'read', value: value as Extract<ReferenceAnswer, { kind: 'read' }>['value'] }
}

/** Its messages name the file and a span; the line and column are what a reader needs. */
function oneLine(message: string): string {
  const text = message.replace(/module\.tf:(\d+),(\d+)-[\d,]+/g, 'line $1, column $2').replace(/\s+/g, ' ')
  return text.length > 300 ? `${text.slice(0, 297)}...` : text
}
