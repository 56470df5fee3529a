import { writeSync } from 'node:fs'
import { isSatchelError, realDisk } from '../../../server/plugin.ts'
import { createChance } from '../chance.ts'
import { append, create } from './operations.ts'
import { type Desk, openDesk } from './stage.ts'

const STDOUT = 1
const WRITERS = 3
const ENTRIES = 20
const AGAIN = new Set(['etag_mismatch', 'locked'])

/** Writes handoffs in `directory` until it is killed; says `A <id> <entry>` for each entry that was answered. */
export async function work(directory: string, seed: number): Promise<never> {
  const chance = createChance(seed)
  const desk = await openDesk(realDisk, { chance, clock: Date.now, root: directory })
  for (;;) {
    const { id } = await create(desk, `victim ${seed}`)
    writeSync(STDOUT, `A ${id} created\n`)
    await Promise.all(
      Array.from({ length: WRITERS }, (_, writer) => appendAll(desk, id, `${seed}-${writer}`)),
    )
  }
}

async function appendAll(desk: Desk, id: string, name: string): Promise<void> {
  for (let n = 0; n < ENTRIES; ) {
    try {
      await append(desk, id, `${name}-${n}`)
      writeSync(STDOUT, `A ${id} ${name}-${n}\n`)
      n += 1
    } catch (thrown) {
      if (!isSatchelError(thrown) || !AGAIN.has(thrown.reason)) throw thrown
    }
  }
}
