import type { Disk } from '../disk.ts'
import { createSimulatedDisk, type Image } from './simulated-disk.ts'

/** Processes over one disk, each a function of its own view of it. */
export interface Scene {
  readonly start: Image
  /** Starts every process anew; each call of a disk waits until the explorer grants it. */
  begin(
    disks: readonly Disk[],
    pause: (process: number) => Promise<void>,
  ): { readonly runs: readonly Promise<void>[]; faults(): readonly string[] }
  readonly processes: number
}

export interface Exploration {
  /** Distinct states that were reached. */
  readonly states: number
  /** The first broken promise and the order of calls that leads to it. */
  readonly failure?: { readonly schedule: readonly number[]; readonly faults: readonly string[] }
}

/**
 * Runs the processes in every order of their disk calls, depth first. Two orders after which the disk and everything
 * that each process has seen are the same go on alike, so only one of them is followed.
 */
export async function explore(scene: Scene): Promise<Exploration> {
  const seen = new Set<string>()
  const open: (readonly number[])[] = [[]]
  for (let schedule = open.pop(); schedule; schedule = open.pop()) {
    const { state, waiting, faults } = await replay(scene, schedule)
    if (faults.length > 0) return { states: seen.size, failure: { schedule, faults } }
    if (seen.has(state)) continue
    seen.add(state)
    for (const process of waiting) open.push([...schedule, process])
  }
  return { states: seen.size }
}

const SETTLING_TURNS = 24 // more than lie between two calls of a disk

async function replay(scene: Scene, schedule: readonly number[]) {
  const simulated = createSimulatedDisk(scene.start, { below: () => 0 })
  const waiting = new Map<number, () => void>()
  const observed = Array.from({ length: scene.processes }, (): string[] => [])
  const turn = (process: number): Promise<void> => new Promise((go) => waiting.set(process, go))
  const disks = observed.map((log, process) => scheduled(simulated.disk, log, () => turn(process)))
  const { runs, faults } = scene.begin(disks, turn)
  const ended = new Set<number>()
  for (const [process, run] of runs.entries()) void run.then(() => ended.add(process)) // a rejection ends the test
  await settle()
  for (const process of schedule) {
    const go = waiting.get(process)
    waiting.delete(process)
    go?.()
    await settle()
  }
  const image = [...simulated.image()].map(([path, content]) => [path, content.toString()]).sort()
  const stuck = waiting.size === 0 && ended.size < scene.processes ? ['a process waits for nothing'] : []
  return {
    state: JSON.stringify([image, observed]),
    waiting: [...waiting.keys()],
    faults: [...faults(), ...stuck],
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < SETTLING_TURNS; turn += 1) await Promise.resolve()
}

/** Waits before each call, and after it too: another process may act between an answer and what is made of it. */
function scheduled(disk: Disk, log: string[], turn: () => Promise<void>): Disk {
  const calls = Object.entries(disk).map(([name, call]: [string, (...given: never[]) => unknown]) => {
    const observing = (...given: never[]): unknown => {
      try {
        const answer = call(...given)
        log.push(`${name} ${textOf(answer)}`)
        return answer
      } catch (thrown) {
        log.push(`${name} ${thrown}`)
        throw thrown
      }
    }
    const waiting = async (...given: never[]): Promise<unknown> => {
      await turn()
      try {
        const answer = await call(...given)
        log.push(`${name} ${textOf(answer)}`)
        return answer
      } catch (thrown) {
        log.push(`${name} ${thrown}`)
        throw thrown
      } finally {
        if (name === 'list' || name === 'link') await turn()
      }
    }
    return [name, name.endsWith('Sync') ? observing : waiting]
  })
  return Object.fromEntries(calls) as unknown as Disk // the same calls
}

/** Times and numbers of files depend on the order of calls of all; no process acts on them alone. */
function textOf(answer: unknown): string {
  if (answer instanceof Buffer) return answer.toString('utf8')
  if (typeof answer === 'object' && answer !== null && 'inode' in answer) return 'a file'
  return String(answer)
}
