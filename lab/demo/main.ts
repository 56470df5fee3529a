/** A tour of satchel on this machine: offline, in temporary folders, through real clients. Exits 0 when every step held. */
import { CLIENTS } from './clients.ts'
import { showHandoff } from './handoff.ts'
import { showModules } from './modules.ts'
import { showResume } from './resume.ts'
import { showRoom } from './room.ts'
import { openStage } from './stage.ts'
import { showStory } from './story.ts'

/** The entry of the build waits for it: what is CommonJS cannot. */
export const ended = main()

async function main(): Promise<void> {
  const stage = openStage()
  try {
    stage.say(`satchel, shown on ${stage.repository}\n`)
    for (const show of [showHandoff, showResume, showModules, showRoom, showStory]) {
      await show(stage)
      stage.say()
    }
    stage.say(CLIENTS)
  } catch (thrown) {
    const { message } = thrown as Error // every step throws an Error
    process.stderr.write(`the demo failed: ${message}\n`)
    process.exitCode = 1
  } finally {
    await stage.close()
  }
}
