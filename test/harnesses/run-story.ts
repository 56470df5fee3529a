import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Harness } from './harness.ts'
import { installNode, installPackage } from './installation.ts'
import { runToEnd, stageOf, writeFiles } from './run-harness.ts'
import { buildStory, untold } from './story.ts'
import { startStubModel } from './stub-model.ts'

const PRINTED_CHARS = 2000

/** One session of the story, and what it should have told its model and did not. */
export interface ToldSession {
  readonly name: string
  readonly calls: number
  readonly untold: string[]
}

/**
 * Plays the story in one project, each session in a new run of the harness with a home of its own. Errors: npm's, where the
 * harness cannot be installed; a session of which no result reached the model.
 */
export async function runStory(harness: Harness): Promise<readonly ToldSession[]> {
  const installed = await installPackage(harness.package, harness.version)
  const node = harness.node === undefined ? process.execPath : await installNode(harness.node)
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'satchel-harness-')))
  const removed = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  process.once('exit', removed) // the lab was ended
  const project = join(folder, 'project')
  await mkdir(project)
  try {
    const told: ToldSession[] = []
    for (const [at, session] of (await buildStory(project)).entries()) {
      await session.before?.()
      const home = join(folder, `home-${at}`)
      await mkdir(home)
      const model = await startStubModel(session.calls)
      try {
        const stage = stageOf({ installed, home, project, url: model.url }, session.flags)
        await writeFiles(home, harness.files(stage))
        const { out, err } = await runToEnd(harness.process(stage), node, stage)
        const results = model.results()
        if (results[0] === undefined)
          throw new Error(
            `${session.name}: no result reached the model\n${`${out}${err}`.slice(-PRINTED_CHARS)}`,
          )
        told.push({ name: session.name, calls: session.calls.length, untold: [...untold(session, results)] })
      } finally {
        await model.close()
      }
    }
    return told
  } finally {
    process.off('exit', removed)
    removed()
  }
}
