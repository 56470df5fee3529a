import { createInterface } from 'node:readline'
import { diffOf, type FileChange } from '../setup/change.ts'
import type { SetupPlace } from '../setup/folders.ts'
import { refusals } from '../setup/refusals.ts'
import { type FileOutcome, type FileResult, resultOf, type TargetResult } from '../setup/result.ts'
import { whileLocked } from '../setup/setup-lock.ts'
import type { Target } from '../setup/targets.ts'
import { printText } from './render.ts'
import type { World } from './world.ts'

/** The words for a change, before and after it was made. */
export interface Outcomes {
  told(change: FileChange): FileOutcome
  done(change: FileChange): FileOutcome
}

export interface Changing {
  readonly targets: readonly Target[]
  planned(target: Target): () => Promise<readonly FileChange[]>
  readonly outcomes: Outcomes
  readonly asks: boolean
  readonly dryRun: boolean
  readonly at: SetupPlace
}

/**
 * Plans every change, shows them, asks, and writes; a client that is refused stops no other.
 * Errors: `setup_not_confirmed`, `setup_declined`, `setup_running`.
 */
export async function changeAll(world: World, changing: Changing): Promise<readonly TargetResult[]> {
  const { targets, planned, outcomes, asks, dryRun, at } = changing
  const work = async (): Promise<readonly TargetResult[]> => {
    const plans: { readonly result: TargetResult; readonly changes: readonly FileChange[] }[] = []
    for (const target of targets) {
      let changes: readonly FileChange[] = []
      const result = await resultOf(target, async () => {
        changes = await planned(target)()
        return { files: await Promise.all(changes.map((change) => fileResult(change, outcomes.told))) }
      })
      plans.push({ result, changes })
    }
    showDiffs(
      world,
      plans.map(({ result }) => result),
    )
    if (dryRun) return plans.map(({ result }) => result)
    const isAny = plans.some(({ changes }) => changes.some(({ changes: any }) => any))
    if (asks && isAny && !(await confirmed(world))) throw refusals.setup_declined()
    const results: TargetResult[] = []
    for (const { result, changes } of plans) results.push(await written(result, changes, outcomes))
    return results
  }
  return dryRun ? work() : whileLocked(at, work)
}

async function fileResult(change: FileChange, outcome: Outcomes['told']): Promise<FileResult> {
  const { path, shown } = change.file
  return { path, shown, outcome: outcome(change), diff: change.changes ? await diffOf(change) : '' }
}

async function written(
  result: TargetResult,
  changes: readonly FileChange[],
  { done }: Outcomes,
): Promise<TargetResult> {
  if (result.error) return result
  return resultOf(result.target, async () => {
    for (const change of changes) await change.write()
    return { files: await Promise.all(changes.map((change) => fileResult(change, done))) }
  })
}

function showDiffs({ terminal }: World, results: readonly TargetResult[]): void {
  if (terminal.json) return
  const diffs = results.flatMap(({ files }) => files.map(({ diff }) => diff)).filter((diff) => diff !== '')
  if (diffs.length > 0) printText(terminal, `${diffs.join('\n')}\n`)
}

/** Asks on the terminal. Errors: `invalid`/`setup_not_confirmed` without one. */
async function confirmed({ io, terminal, signal }: World): Promise<boolean> {
  if (!terminal.stdinIsTty || terminal.json) throw refusals.setup_not_confirmed()
  io.stderr.write('Write these changes? [y/N] ')
  const lines = createInterface({ input: terminal.stdin })
  try {
    for await (const answer of lines) return /^\s*y(es)?\s*$/i.test(answer)
    signal.throwIfAborted()
    return false
  } finally {
    lines.close()
  }
}
