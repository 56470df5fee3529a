import { sha256Of } from '../../../plugins/workspace/engine/bodies.ts'
import type { Sql } from '../../../plugins/workspace/engine/sql.ts'
import type { Store } from '../../../plugins/workspace/engine/store.ts'
import { changesByEvent } from '../../../plugins/workspace/testing/model.ts'
import { createSimulatedDisk, type Fault } from '../../../server/platform/testing/simulated-disk.ts'
import { isSatchelError } from '../../../server/plugin.ts'
import { createChance } from '../chance.ts'
import { createHistory } from './history.ts'
import { openOn, type PlantedBug, START, START_TEXT } from './stage.ts'
import { trackSql } from './tracked-sql.ts'
import { judge } from './verdict.ts'
import { runWorkload } from './workload.ts'

export interface FaultOptions {
  readonly sql: Sql
  readonly seed: number
  readonly bug?: PlantedBug
  stop?(): boolean
}

export interface FaultReport {
  readonly runs: number
  readonly failure?: { readonly seed: number; readonly fault: Fault; readonly faults: readonly string[] }
}

const STEPS = 5

const KINDS: readonly Omit<Fault, 'nth'>[] = [
  { call: 'write', code: 'ENOSPC', how: 'whole' },
  { call: 'write', code: 'ENOSPC', how: 'partial' },
  { call: 'write', code: 'EIO', how: 'landed' },
  { call: 'flush', code: 'EIO' },
  { call: 'rename', code: 'EACCES' },
]

/**
 * For every N: the N-th write meets a full or failing disk, the N-th flush fails, the N-th rename is refused. Refusals
 * must leave no trace, a failed flush must stop the room for good, and afterwards everything acknowledged is there.
 */
export async function failEveryCall(options: FaultOptions): Promise<FaultReport> {
  let runs = 0
  for (const kind of KINDS) {
    for (let nth = 1; !options.stop?.(); nth += 1) {
      const fault = { ...kind, nth }
      const { met, faults } = await runWithFault(options, fault)
      if (faults.length > 0) return { runs, failure: { seed: options.seed, fault, faults } }
      if (!met) break
      runs += 1
    }
  }
  return { runs }
}

async function runWithFault(
  { sql, seed, bug }: FaultOptions,
  fault: Fault,
): Promise<{ met: boolean; faults: readonly string[] }> {
  const chance = createChance(seed)
  const simulated = createSimulatedDisk(START, chance)
  const history = createHistory(() => simulated.changes.length)
  history.text(sha256Of(START_TEXT), 'editor')
  const tracked = trackSql(sql)
  const outcomes: string[] = []
  let store: Store | undefined
  simulated.fail(fault)
  try {
    await runWorkload({
      simulated,
      sql: tracked.sql,
      chance,
      history,
      owner: 1,
      steps: STEPS,
      bug,
      outcome: (thrown, opened) => {
        store = opened
        outcomes.push(...complaint(thrown, opened))
      },
    })
  } catch (thrown) {
    outcomes.push(...complaint(thrown, undefined))
  }
  simulated.fail(undefined)
  const disagreement = store ? await memoryAndDisk(store, simulated.image(), tracked.sql) : []
  tracked.closeAll()
  const cut = { image: simulated.image(), at: simulated.changes.length, history, sql, chance, bug, owner: 2 }
  const { faults } = await judge(cut)
  return {
    met: simulated.calls(fault.call) >= fault.nth,
    faults: [...outcomes, ...history.complaints(), ...disagreement, ...faults],
  }
}

const EXPECTED = new Set(['store_unavailable', 'store_poisoned', 'room_not_running'])

/** A caller must be answered, or told one of the promised refusals. */
function complaint(thrown: unknown, store: Store | undefined): readonly string[] {
  if (thrown === undefined) return []
  if (isSatchelError(thrown) && EXPECTED.has(thrown.reason)) return []
  return isSystemError(thrown) && !store ? [] : [`a caller got ${thrown}`]
}

/** Opening a room on a full disk may fail with the system's own error. */
function isSystemError(thrown: unknown): boolean {
  return thrown instanceof Error && 'syscall' in thrown
}

/** What a room that still works shows is exactly what a restart would find. */
async function memoryAndDisk(
  store: Store,
  image: Parameters<typeof createSimulatedDisk>[0],
  sql: Sql,
): Promise<readonly string[]> {
  if (store.poisoned.aborted) return []
  try {
    const inMemory = await store.read((rows) => [...changesByEvent(rows)].sort(([a], [b]) => a - b))
    const reopened = await openOn(createSimulatedDisk(image, createChance(1)).disk, sql, { owner: 3 })
    const onDisk = await reopened.read((rows) => [...changesByEvent(rows)].sort(([a], [b]) => a - b))
    const same = JSON.stringify(onDisk.slice(0, inMemory.length)) === JSON.stringify(inMemory)
    return same ? [] : ['memory and disk differ']
  } catch (thrown) {
    return isSatchelError(thrown) && thrown.reason === 'room_not_running'
      ? []
      : [`after the fault: ${thrown}`]
  }
}
