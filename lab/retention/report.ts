import { type RetentionReport, reportRetention } from '../../plugins/handoff/actions/report-retention.ts'
import { handoffConfig } from '../../plugins/handoff/config.ts'
import { createHandoffs } from '../../plugins/handoff/project.ts'
import { testHost } from '../../plugins/handoff/testing/fixture.ts'
import type { World } from '../../server/cli/world.ts'
import { loadEntries } from '../../server/plugin-entries.ts'

/** The report of a real session of the project that the command line names. */
export async function reportOf(
  { doors, line, terminal }: World,
  session: string,
): Promise<RetentionReport | undefined> {
  const root = await doors.findProjectRoot(line)
  const entries = await loadEntries(await doors.loadConfig(line), { kind: 'verb', words: ['handoff'] })
  const config = handoffConfig.parse(entries.find(({ plugin }) => plugin.name === 'handoff')?.config ?? {})
  const { PATH = '' } = terminal.env
  const handoffs = createHandoffs(
    testHost(root, () => new Date(), { PATH }),
    config,
  )
  return reportRetention(handoffs.ownProject(), session)
}
