/** A tour of satchel on this machine: offline, in temporary folders, through real clients. Exits 0 when every step held. */
import { CLIENTS } from './demo/clients.ts'
import { showHandoff } from './demo/handoff.ts'
import { openStage } from './demo/stage.ts'

const stage = openStage()
try {
  stage.say(`satchel, shown on ${stage.repository}\n`)
  await showHandoff(stage)
  stage.say(`\n${CLIENTS}`)
} finally {
  await stage.close()
}
