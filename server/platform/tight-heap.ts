import { setFlagsFromString } from 'node:v8'
import { keepYoungGeneration } from './young-generation.ts'

/** How much the heap may grow, in percent of what was alive, before garbage is collected again. */
const GROWTH_PERCENT = 25
/** V8 chooses again: by how much memory the machine has, up to four times what was alive. */
const OF_V8 = 0

let running = 0

/**
 * Runs long work that makes much garbage in a heap that stays close to what is alive: left alone, V8 lets it grow to
 * several times that and keeps the memory. Calls may overlap; the growth is that of V8 again when the last has ended.
 */
export async function inTightHeap<T>(work: () => Promise<T>): Promise<T> {
  running++
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`)
  const release = keepYoungGeneration()
  try {
    return await work()
  } finally {
    release()
    running--
    if (running === 0) setFlagsFromString(`--heap-growing-percent=${OF_V8}`)
  }
}
