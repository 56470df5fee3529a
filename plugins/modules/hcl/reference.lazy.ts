/** The reference parser, `@cdktf/hcl2json`, in a thread of its own: its first answer takes half a second and 30 MB. */
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { createIdleThread } from '../../../server/plugin.ts'
import type { Reference, ReferenceAnswer } from './reference.ts'

// design modules 3.3
const KILL_MS = 5_000
const IDLE_MS = 10_000
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
  const entry = options.entry ?? findPackage()
  const limitMs = options.killMs ?? KILL_MS
  const thread = createIdleThread<string, Message>({
    start: () =>
      new Worker(THREAD, { eval: true, workerData: { entry }, execArgv: [], stdout: true, stderr: true }),
    loadMs: LOAD_MS,
    limitMs,
    idleMs: options.idleMs ?? IDLE_MS,
  })
  const missing = {
    over: 'The reference parser was closed.',
    unstarted: 'The reference parser did not start.',
    ended: 'The reference parser ended without an answer.',
    silent: `The reference parser gave no answer within ${limitMs / 1000} s.`,
  } as const
  return {
    async ask(text) {
      if (entry === undefined) return unavailable('@cdktf/hcl2json is not installed.')
      const message = await thread.ask(text)
      return typeof message === 'string' ? unavailable(missing[message]) : toAnswer(message)
    },
    close: () => thread.end(),
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
