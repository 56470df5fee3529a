import type { TestContext } from 'node:test'
import { temporaryFolder } from '../../../../test/harness/index.ts'
import { type IngestStage, makeRemotes, openIngestStage } from '../stage.ts'

/** A stage with remotes of its own, closed after the test. */
export async function openTestStage(t: TestContext): Promise<IngestStage> {
  const dir = await temporaryFolder(t)
  await makeRemotes(dir)
  const stage = await openIngestStage(dir, process.env)
  t.after(() => stage.close())
  return stage
}
