import type { TestContext } from 'node:test'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import type { Measurement } from './measurement.ts'
import { recordedMeasurements } from './recorded.ts'
import { replay } from './replay.ts'
import { buildStory, untold } from './story.ts'

/** One recorded client for each channel: the others are given the same. */
export function clientOfEachChannel(): readonly Measurement[] {
  return [...new Map(recordedMeasurements().map((client) => [client.channel, client])).values()]
}

/** Plays the story as this client; gives what its sessions did not tell their model. */
export async function untoldTo(t: TestContext, client: Measurement): Promise<readonly string[]> {
  const folder = await temporaryFolder(t)
  const lost: string[] = []
  for (const session of await buildStory(folder)) {
    await session.before?.()
    const given = await replay(t, folder, client, session.calls, session.flags)
    lost.push(...untold(session, given).map((each) => `${session.name}: ${each}`))
  }
  return lost
}
