/** Bounds of modules design 1. */
export const MAX_CONCURRENT = 4
const MAX_PER_HOST = 2

/** Runs `work` over all items, at most 4 concurrently and 2 of one host, a host's items in order. `work` must not reject. */
export async function runPooled<T>(
  items: readonly T[],
  hostOf: (item: T) => string,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queues = new Map<string, T[]>()
  for (const item of items) queues.set(hostOf(item), [...(queues.get(hostOf(item)) ?? []), item])
  const gate = createGate(MAX_CONCURRENT)
  const drain = async (queue: T[]): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      await gate.enter()
      await work(item).finally(gate.leave)
    }
  }
  const workers = [...queues.values()].flatMap((queue) =>
    Array.from({ length: MAX_PER_HOST }, () => drain(queue)),
  )
  await Promise.all(workers)
}

function createGate(places: number) {
  const waiting: (() => void)[] = []
  let free = places
  return {
    async enter(): Promise<void> {
      if (free > 0) free--
      else await new Promise<void>((resolve) => waiting.push(resolve))
    },
    /** Gives the slot to the worker that has waited longest. */
    leave(): void {
      const next = waiting.shift()
      if (next) next()
      else free++
    },
  }
}
