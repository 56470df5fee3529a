/** A process that tries until it or another process has the room, says which, and stays: `starter.ts FILE WASM`. */
import { openRoom, roomPlace } from '../engine/open-room.ts'
import { modelContent, silentLog } from './model.ts'

const [file = '', wasm = ''] = process.argv.slice(2)
const options = {
  place: roomPlace(file, {}),
  content: modelContent,
  log: silentLog,
  rank: 'stdio',
  wasm,
} as const

process.stdout.write('ready\n')
process.stdin.once('data', async () => {
  for (;;) {
    const { kind } = await openRoom(options)
    if (kind === 'lost') continue
    process.stdout.write(`${kind}\n`)
    break
  }
})
