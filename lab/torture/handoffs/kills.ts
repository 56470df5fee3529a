import { realDisk } from '../../../server/plugin.ts'
import { createChance } from '../chance.ts'
import { type KillOptions, type KillReport, killProcesses } from '../kills.ts'
import { type Desk, openDesk } from './stage.ts'

const KILL_WITHIN_MS = 200

/** Kills processes that write handoffs in `directory`: every answered entry stays, and every file is whole. */
export async function killWriters(
  directory: string,
  options: Omit<KillOptions, 'judge' | 'withinMs'>,
): Promise<KillReport> {
  const desk = await openDesk(realDisk, { chance: createChance(1), clock: Date.now, root: directory })
  return await killProcesses({
    ...options,
    withinMs: KILL_WITHIN_MS,
    judge: (answers) => storeFaults(desk, answers),
  })
}

async function storeFaults({ project }: Desk, answers: readonly string[]): Promise<readonly string[]> {
  const faults: string[] = []
  const entries = new Map<string, ReadonlySet<string>>()
  for (const id of await project.store.ids()) {
    const stored = await project.store.read(id)
    if (stored?.kind === 'record') entries.set(id, new Set(['created', ...stored.record.summary.completed]))
    else faults.push(`the record ${id} cannot be read: ${stored?.problem.detail}`)
  }
  for (const answer of answers) {
    const [id = '', entry = ''] = answer.split(' ')
    if (!entries.get(id)?.has(entry)) faults.push(`${answer} was answered and is lost`)
  }
  return faults
}
