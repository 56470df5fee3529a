import type { Worker } from 'node:worker_threads'

/** A thread that answers one question after the other. Its creator ends it. */
export interface IdleThread<Question, Answer extends object> {
  ask(question: Question): Promise<Answer | NoAnswer>
  end(): Promise<void>
}

/** `unstarted`: it did not start; `ended`: it ended by itself; `silent`: it took too long; `over`: its creator ended it. */
export type NoAnswer = 'unstarted' | 'ended' | 'silent' | 'over'

export interface IdleThreadHow {
  /** The thread says any word once it can be asked. */
  start(): Worker
  /** Loading is bounded apart: a busy machine must not look like a question that takes too long. */
  readonly loadMs: number
  readonly limitMs: number
  readonly idleMs: number
}

/** It starts with the first question, ends after one without an answer and when it is idle, and keeps no process alive. */
export function createIdleThread<Question, Answer extends object>({
  start,
  loadMs,
  limitMs,
  idleMs,
}: IdleThreadHow): IdleThread<Question, Answer> {
  let thread: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let turn: Promise<unknown> = Promise.resolve()
  let isOver = false
  const stop = async (): Promise<void> => {
    clearTimeout(idle)
    const ending = thread
    thread = undefined
    await ending?.terminate()
  }
  const replyTo = async (question: Question): Promise<Answer | NoAnswer> => {
    if (thread === undefined) {
      thread = start().on('error', () => undefined) // seen as its end
      if (typeof (await nextMessage(thread, loadMs)) === 'string') return 'unstarted'
    }
    thread.ref()
    thread.postMessage(question)
    return nextMessage<Answer>(thread, limitMs)
  }
  const answer = async (question: Question): Promise<Answer | NoAnswer> => {
    clearTimeout(idle)
    if (isOver) return 'over'
    const reply = await replyTo(question)
    if (typeof reply === 'string') {
      await stop()
      return reply
    }
    thread?.unref()
    idle = setTimeout(() => void stop(), idleMs).unref()
    return reply
  }
  return {
    ask(question) {
      const asked = turn.then(() => answer(question))
      turn = asked.catch(() => undefined)
      return asked
    },
    end() {
      isOver = true
      return stop()
    },
  }
}

function nextMessage<T extends object>(thread: Worker, limitMs: number): Promise<T | 'ended' | 'silent'> {
  return new Promise((resolve) => {
    const settle = (result: T | 'ended' | 'silent'): void => {
      clearTimeout(timer)
      thread.off('message', settle)
      thread.off('exit', onExit)
      resolve(result)
    }
    const onExit = (): void => settle('ended')
    const timer = setTimeout(() => settle('silent'), limitMs)
    thread.on('message', settle)
    thread.on('exit', onExit)
  })
}
