/** Work that says where it may pause: at each `yield` other calls may get their turn. */
export type Pieces<T> = Generator<undefined, T, undefined>

/** Longest synchronous work before the event loop gets a turn. */
const TURN_MS = 12

interface Budget {
  leftMs: number
  spent(): Error
}

/** Kept beside the signal of a call, which every operation that takes long is given. */
const budgets = new WeakMap<AbortSignal, Budget>()

/** Bounds what `inTurns` computes for the owner of this signal; `spent` makes the error after that. */
export function limitWork(signal: AbortSignal, limitMs: number, spent: () => Error): void {
  budgets.set(signal, { leftMs: limitMs, spent })
}

/**
 * Does the work a few milliseconds a turn, so that other calls wait for a piece of it and not for all.
 * Errors: those of the work; the reason of the signal; `unavailable`/`call_cpu_limit` when the call has no time left.
 */
export async function inTurns<T>(work: Pieces<T>, signal?: AbortSignal): Promise<T> {
  const budget = signal && budgets.get(signal)
  try {
    for (;;) {
      signal?.throwIfAborted()
      const began = performance.now()
      const cpuBegan = process.cpuUsage()
      const step = nextStep(work, began + TURN_MS)
      if (budget) spend(budget, { began, cpuBegan })
      if (step.done) return step.value
      await nextTurn()
    }
  } finally {
    work.return(undefined as T) // ended already, or given up
  }
}

/** Does the work without a pause: where it is short, and for callers that cannot wait. */
export function atOnce<T>(work: Pieces<T>): T {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

function nextStep<T>(work: Pieces<T>, until: number): IteratorResult<undefined, T> {
  for (;;) {
    const step = work.next()
    if (step.done || performance.now() > until) return step
  }
}

/** The lesser of both clocks: that of the wall also counts other programs, that of the processor other threads of this one. */
function spend(
  budget: Budget,
  { began, cpuBegan }: { readonly began: number; readonly cpuBegan: NodeJS.CpuUsage },
): void {
  const { user, system } = process.cpuUsage(cpuBegan)
  budget.leftMs -= Math.min(performance.now() - began, (user + system) / 1000)
  if (budget.leftMs < 0) throw budget.spent()
}

const waiting: (() => void)[] = []
let isScheduled = false

/** Resolves in a later turn of the event loop; of all that wait in this process, one goes on in each turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    schedule()
  })
}

/** An immediate that schedules another runs it after the loop has looked for what came in. */
function schedule(): void {
  if (isScheduled) return
  isScheduled = true
  setImmediate(() => {
    isScheduled = false
    waiting.shift()?.()
    if (waiting.length > 0) schedule()
  })
}
