import { sha256 } from '../../../plugins/handoff/domain/record-id.ts'
import { createSimulatedDisk, type SimulatedDisk } from '../../../server/platform/testing/simulated-disk.ts'
import { isSatchelError } from '../../../server/plugin.ts'
import type { Chance } from '../chance.ts'
import { versionsBelow } from '../file-versions.ts'
import { mortalDisk } from '../mortal-disk.ts'
import type { DiskBug, Life } from '../power-cuts.ts'
import { type Answered, append, create, move, resume } from './operations.ts'
import { judgeHandoffs, type Promised } from './promises.ts'
import { type Desk, openDesk, RECORDS, START, STORE } from './stage.ts'

/** Longer than any lock of a killed process counts, on the clock of the simulated disk. */
export const RESTART_MS = 120_000

/** A life in progress: what was done to the disk, and what was answered. */
interface Living {
  readonly simulated: SimulatedDisk
  readonly chance: Chance
  readonly bug: DiskBug | undefined
  readonly promised: Promised[]
  readonly complaints: string[]
}

/** One call of each kind after the other, by one process that ends on its own. */
export async function shortLife(chance: Chance, bug?: DiskBug): Promise<Life> {
  const living = newLiving(chance, bug)
  const desk = await deskOf(living, living.simulated.disk, 0)
  await inTurn(living, desk).catch((thrown: unknown) => complain(living, thrown))
  return lifeOf(living)
}

/** Several callers at the same time; half of the runs lose their process on the way, and another one goes on. */
export async function longLife(chance: Chance, bug?: DiskBug): Promise<Life> {
  const living = newLiving(chance, bug)
  const { simulated } = living
  if (chance.maybe(0.5)) {
    const { disk, died, isDead } = mortalDisk(simulated.disk, FEWEST_CALLS + chance.below(MORE_CALLS))
    const desk = await Promise.race([deskOf(living, disk, 0), died])
    if (desk) await Promise.race([together(living, desk, () => !isDead()), died])
    await together(living, await deskOf(living, simulated.disk, RESTART_MS))
  } else {
    await together(living, await deskOf(living, simulated.disk, 0))
  }
  return lifeOf(living)
}

const FEWEST_CALLS = 10
const MORE_CALLS = 400

function newLiving(chance: Chance, bug: DiskBug | undefined): Living {
  return { simulated: createSimulatedDisk(START, chance), chance, bug, promised: [], complaints: [] }
}

function deskOf(
  { simulated, chance, bug }: Living,
  disk: SimulatedDisk['disk'],
  laterMs: number,
): Promise<Desk> {
  const clock = (): number => simulated.changes.length + laterMs
  return openDesk(bug?.disk(disk) ?? disk, { chance, clock })
}

function lifeOf({ simulated, promised, complaints, bug }: Living): Life {
  const { changes } = simulated
  const versions = versionsBelow(STORE, START, changes)
  return {
    start: START,
    changes,
    complaints,
    judge: (cut) => judgeHandoffs(cut, { promised, versions, bug }),
  }
}

async function inTurn(living: Living, desk: Desk): Promise<void> {
  const answered = async (call: Promise<Answered>): Promise<string> => {
    const { id } = await call
    promiseAll(living)
    return id
  }
  const parent = await answered(create(desk, 'begun'))
  await answered(append(desk, parent, 'the first step'))
  const child = await answered(create(desk, 'continued', { parent }))
  await answered(move(desk, parent, 'validated'))
  await answered(move(desk, parent, 'ready'))
  await answered(resume(desk, parent, 'a session'))
  await answered(append(desk, child, 'the second step'))
  await answered(move(desk, child, 'validated'))
  await answered(move(desk, child, 'ready'))
  await answered(move(desk, parent, 'archived'))
  const first = await answered(create(desk, 'once', { key: 'a key' }))
  const again = await answered(create(desk, 'once', { key: 'a key' }))
  if (first !== again) living.complaints.push('one idempotency key made two records')
}

/** Between two calls everything in the store was answered. */
function promiseAll({ simulated, promised }: Living): void {
  for (const [path, content] of simulated.image()) {
    const isKept = path.startsWith(`${RECORDS}/`) || path === `${STORE}/config.json`
    if (isKept && content !== 'directory')
      promised.push({ at: simulated.changes.length, path, etag: sha256(content) })
  }
}

const CALLERS = 3
const FEWEST_STEPS = 2
const MORE_STEPS = 6

async function together(living: Living, desk: Desk, isLive = (): boolean => true): Promise<void> {
  const ids: string[] = [...(await desk.project.store.ids())]
  const steps = FEWEST_STEPS + living.chance.below(MORE_STEPS)
  const work = async (caller: number): Promise<void> => {
    for (let step = 0; step < steps; step += 1) {
      try {
        const { id, etag } = await anyCall(living, desk, ids, `${caller}-${step}`)
        if (!isLive()) return
        ids.push(id)
        const path = `${RECORDS}/${id.toLowerCase()}.json`
        living.promised.push({ at: living.simulated.changes.length, path, etag })
      } catch (thrown) {
        if (!isLive()) return // the caller of a dead process gets no answer
        complain(living, thrown)
      }
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => work(caller)))
}

function anyCall({ chance }: Living, desk: Desk, ids: readonly string[], name: string): Promise<Answered> {
  const id = ids[chance.below(Math.max(1, ids.length))]
  const drawn = chance.below(100)
  if (id === undefined || drawn < 20) return create(desk, name.padEnd(chance.below(2_000), '.'))
  if (drawn < 35) return create(desk, name, { parent: id })
  if (drawn < 40) return create(desk, name, { key: `key ${chance.below(3)}` })
  if (drawn < 70) return append(desk, id, name.padEnd(chance.below(2_000), '.'))
  if (drawn < 80) return move(desk, id, 'validated')
  if (drawn < 90) return move(desk, id, 'ready')
  return resume(desk, id, name)
}

const EXPECTED = new Set(['conflict', 'invalid'])

/** A caller is answered or refused for what the record is or what others do with it. */
function complain({ complaints }: Living, thrown: unknown): void {
  if (!isSatchelError(thrown) || !EXPECTED.has(thrown.code)) complaints.push(`a caller got ${String(thrown)}`)
}
