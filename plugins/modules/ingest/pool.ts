/** Bounds of modules design 1. */
const AT_ONCE = 4
const A_HOST = 2

/** Runs `work` over all items, 4 at once and 2 of one host at once, a host's items in order. `work` must not reject. */
export async function runPooled<T>(
  items: readonly T[],
  hostOf: (item: T) => string,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queues = new Map<string, T[]>()
  for (const item of items) queues.set(hostOf(item), [...(queues.get(hostOf(item)) ?? []), item])
  const gate = createGate(AT_ONCE)
  const drain = async (queue: T[]): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      await gate.enter()
      await work(item).finally(gate.leave)
    }
  }
  const workers = [...queues.values()].flatMap((queue) => Array.from({ length: A_HOST }, () => drain(queue)))
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
    /** A place goes straight to whoever waits longest. */
    leave(): void {
      const next = waiting.shift()
      if (next) next()
      else free++
    },
  }
}
