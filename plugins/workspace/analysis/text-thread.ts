import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { type Question, quickAnswer } from './questions.ts'

/** A thread that answers one question after the other. Its creator ends it. */
export interface TextThread {
  /** The answer, or the quick one when it took too long. */
  ask(question: Question): Promise<unknown>
  end(): Promise<void>
}

export interface ThreadOptions {
  /** A question that takes longer gets its quick answer, and the thread ends. */
  readonly limitMs: number
  /** The memory of the thread: what exceeds it ends the thread, not the process. */
  readonly maxMegabytes: number
}

const IDLE_MS = 30_000
/** Loading is bounded apart: a busy machine must not look like a text that takes too long. */
const LOAD_MS = 60_000

type Reply = { readonly answer: unknown } | { readonly failure: string } | 'ended'

/** The thread starts with the first question, ends after 30 s without any, and keeps no process alive. */
export function createTextThread({ limitMs, maxMegabytes }: ThreadOptions): TextThread {
  let thread: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let turn: Promise<unknown> = Promise.resolve()
  let ended = false

  const end = async (): Promise<void> => {
    clearTimeout(idle)
    const ending = thread
    thread = undefined
    await ending?.terminate()
  }
  const replyTo = async (question: Question): Promise<Reply> => {
    if (thread === undefined) {
      thread = startThread(maxMegabytes)
      if ((await nextReply(thread, LOAD_MS)) === 'ended') return 'ended'
    }
    thread.ref()
    thread.postMessage(question)
    return nextReply(thread, limitMs)
  }
  const answer = async (question: Question): Promise<unknown> => {
    clearTimeout(idle)
    if (ended) throw new Error('The thread that analyzes texts has ended.')
    const reply = await replyTo(question)
    if (reply === 'ended') {
      await end()
      return quickAnswer(question)
    }
    thread?.unref()
    idle = setTimeout(() => void end(), IDLE_MS).unref()
    if ('failure' in reply) throw new Error(reply.failure)
    return reply.answer
  }
  return {
    ask(question) {
      const asked = turn.then(() => answer(question))
      turn = asked.catch(() => undefined)
      return asked
    },
    end() {
      ended = true
      return end()
    },
  }
}

function startThread(maxOldGenerationSizeMb: number): Worker {
  const file = program()
  const options = { stdout: true, stderr: true, resourceLimits: { maxOldGenerationSizeMb } }
  const thread = file.endsWith('.ts')
    ? new Worker(FROM_SOURCE, { ...options, eval: true, workerData: file })
    : new Worker(file, options)
  thread.on('error', () => undefined) // seen as its end
  return thread
}

/** A thread does not inherit the loader that the sources run under. */
const FROM_SOURCE = `
const { workerData } = require('node:worker_threads')
const { resolve } = require('node:module').createRequire(workerData)
import(resolve('tsx/package.json').replace('package.json', 'dist/esm/api/index.mjs')).then(({ register }) => {
  register()
  return import(workerData)
})
`

/** In the bundle, whose chunks are in its root, or in the sources. */
function program(): string {
  const places = ['./plugins/workspace/thread.js', './thread.js', './thread.ts']
  const paths = places.map((place) => fileURLToPath(new URL(place, import.meta.url)))
  const found = paths.find((path) => existsSync(path))
  if (found === undefined) throw new Error('The program of the thread that analyzes texts is missing.')
  return found
}

/** The thread's next message, or that none will come. */
function nextReply(thread: Worker, limitMs: number): Promise<Reply> {
  return new Promise((resolve) => {
    const settle = (reply: Reply): void => {
      clearTimeout(timer)
      thread.off('message', settle)
      thread.off('exit', onExit)
      resolve(reply)
    }
    const onExit = (): void => settle('ended')
    const timer = setTimeout(() => settle('ended'), limitMs)
    thread.on('message', settle)
    thread.on('exit', onExit)
  })
}
