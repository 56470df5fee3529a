import { createMeter, type Meter } from './meter.ts'

/** The room's FIFO mutex. A job that does not wait costs no turn of the loop, so a burst lands in one flush. */
export interface Queue {
  /** Jobs never throw and never reject: they settle their own callers. */
  push(job: () => void | Promise<void>): void
}

/** `onPause` runs whenever the queue is about to wait: after the last job and before a job that waits. */
export function createQueue(onPause: () => void, meter: Pick<Meter, 'waiting'> = createMeter()): Queue {
  const jobs: (() => void | Promise<void>)[] = []
  let running = false

  const drain = async (): Promise<void> => {
    running = true
    try {
      for (let job = jobs.shift(); job; job = jobs.shift()) {
        meter.waiting--
        const waiting = job()
        if (!waiting) continue
        onPause()
        await waiting
      }
    } finally {
      running = false
    }
    onPause()
  }
  return {
    push: (job) => {
      jobs.push(job)
      meter.waiting++
      // `drain` cannot reject: jobs settle their own callers.
      if (!running) void drain()
    },
  }
}

/** Runs a job inside the queue; settles as the job does, also if it throws synchronously. */
export function inQueue(queue: Queue, job: () => Promise<void>): Promise<void> {
  const started = async (): Promise<void> => job()
  return new Promise((resolve, reject) => queue.push(() => started().then(resolve, reject)))
}
