import { createSimulatedDisk } from '../../../server/platform/testing/simulated-disk.ts'
import { realDisk } from '../../../server/plugin.ts'
import { createChance } from '../chance.ts'
import { type KillOptions, type KillReport, killProcesses } from '../kills.ts'
import { different, startOf } from './life.ts'
import { readOutput } from './output.ts'
import { EVERYTHING_ASKED, type IngestStage, makeRemotes, openIngestStage, STATES } from './stage.ts'

const KILL_WITHIN_MS = 500

/** Kills ingests in `directory` while the remote changes between them: readers find whole files after each, and the last run completes. */
export async function killIngests(
  directory: string,
  env: Readonly<Record<string, string | undefined>>,
  options: Omit<KillOptions, 'judge' | 'withinMs'>,
): Promise<KillReport> {
  await makeRemotes(directory)
  const stage = await openIngestStage(directory, env)
  try {
    await stage.show(0)
    let deaths = 0
    const report = await killProcesses({
      ...options,
      withinMs: KILL_WITHIN_MS,
      judge: async (answers) => {
        const faults = await readingFaults(stage)
        await stage.show(++deaths % STATES)
        return [
          ...faults,
          ...(answers.some((failures) => failures !== '0') ? ['a run reported failures'] : []),
        ]
      },
    })
    if (report.failure) return report
    // Where an earlier tag is still there, a run that began with nothing does not have it.
    await stage.show(STATES - 1)
    const faults = await lastRunFaults(stage)
    return faults.length === 0 ? report : { ...report, failure: { kill: report.kills, faults } }
  } finally {
    await stage.close()
  }
}

async function readingFaults(stage: IngestStage): Promise<readonly string[]> {
  try {
    await readOutput(realDisk, stage)
    return []
  } catch (thrown) {
    return [`the output cannot be used: ${String(thrown)}`]
  }
}

async function lastRunFaults(stage: IngestStage): Promise<readonly string[]> {
  const { disk } = createSimulatedDisk(startOf(stage), createChance(1))
  await stage.run(disk, EVERYTHING_ASKED)
  const { failures } = await stage.run(realDisk, EVERYTHING_ASKED)
  const found = await readOutput(realDisk, stage)
  return [
    ...failures.map((failure) => `the last run failed: ${JSON.stringify(failure)}`),
    ...different(found, await readOutput(disk, stage), 'after the last run'),
  ]
}
