import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { createIdleThread } from '../../../server/plugin.ts'
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
const LOAD_MS = 60_000

/** What runs the sources, of which a thread does not inherit every loader. */
const TYPESCRIPT = '../../../scripts/typescript.mjs'

type Reply = { readonly answer: unknown } | { readonly failure: string }

/** The thread starts with the first question, ends after 30 s without any, and keeps no process alive. */
export function createTextThread({ limitMs, maxMegabytes }: ThreadOptions): TextThread {
  const start = (): Worker => startThread(maxMegabytes)
  const thread = createIdleThread<Question, Reply>({ start, loadMs: LOAD_MS, limitMs, idleMs: IDLE_MS })
  return {
    async ask(question) {
      const reply = await thread.ask(question)
      if (reply === 'over') throw new Error('The thread that analyzes texts has ended.')
      if (typeof reply === 'string') return quickAnswer(question)
      if ('failure' in reply) throw new Error(reply.failure)
      return reply.answer
    },
    end: () => thread.end(),
  }
}

function startThread(maxOldGenerationSizeMb: number): Worker {
  const file = program()
  return new Worker(file, {
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb },
    ...(file.endsWith('.ts') && {
      execArgv: ['--expose-internals', '--import', new URL(TYPESCRIPT, import.meta.url).href],
    }),
  })
}

/** In the bundle, whose chunks are in its root, or in the sources. */
function program(): string {
  const places = ['./plugins/workspace/thread.js', './thread.js', './thread.ts']
  const paths = places.map((place) => fileURLToPath(new URL(place, import.meta.url)))
  const found = paths.find((path) => existsSync(path))
  if (found === undefined) throw new Error('The program of the thread that analyzes texts is missing.')
  return found
}
