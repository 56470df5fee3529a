import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { undoAfter } from '../harness/undo.ts'
import type { Measurement } from './measurement.ts'
import { recordedMeasurements } from './recorded.ts'
import { replay } from './replay.ts'
import { buildStory, untold } from './story.ts'

/** One recorded client for each channel: the others are given the same. */
export function clientOfEachChannel(): readonly Measurement[] {
  return [...new Map(recordedMeasurements().map((client) => [client.channel, client])).values()]
}

export async function newStoryFolder(t: TestContext): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'satchel-story-')))
  undoAfter(t, () => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Plays the story as this client; gives what its sessions did not tell their model. */
export async function untoldTo(t: TestContext, client: Measurement): Promise<readonly string[]> {
  const folder = await newStoryFolder(t)
  const lost: string[] = []
  for (const session of await buildStory(folder)) {
    await session.before?.()
    const given = await replay(t, folder, client, session.calls, session.flags)
    lost.push(...untold(session, given).map((each) => `${session.name}: ${each}`))
  }
  return lost
}
