import * as z from 'zod'
import { assetPath } from '../../../server/assets.ts'
import { defineHostVerb } from '../../../server/cli/host-verb.ts'
import { printDocument } from '../../../server/cli/render.ts'
import { labContext } from '../../context.ts'
import { directoryFlag } from '../../directory-flag.ts'

const BROKEN_EXIT = 3 // design surface: a finding
const MINUTES = 10

/** `satchel torture churn`: shows that a busy room neither grows nor leaks descriptors. */
export const churnVerb = defineHostVerb({
  path: ['torture', 'churn'],
  summary: 'let visitors join and leave a room, and watch its memory',
  description:
    'Serves a room in a separate process, lets visitors join, follow its events, propose, commit, take leases and leave, properly or with a dropped connection, and watches the memory and the descriptors of the server. Exits 3 if, after the warm-up, memory other than the rows of the room changed by more than a tenth, a descriptor was not closed, or a request got no answer. Needs /proc. Works in a temporary folder and removes it.',
  input: z.object({
    minutes: z.coerce.number().positive().default(MINUTES).describe('duration of the run'),
    seed: z.coerce.number().int().min(0).optional().describe('chooses what visitors do; absent: a new one'),
    dir: directoryFlag('folder for the room'),
  }),
  examples: ['satchel torture churn --minutes 120'],
  async run(world, { minutes, seed = Date.now() % 2 ** 31, dir: directory }) {
    const { churn, churnText } = await import('./churn.ts')
    const { program, note, signal } = labContext(world)
    const wasm = assetPath('sql-wasm.wasm')
    const stopped = (): boolean => signal.aborted
    const report = await churn({ program, directory, wasm, seed, minutes, stopped, note })
    if (world.terminal.json) printDocument(world.terminal, report)
    else world.terminal.write(churnText(report))
    return report.faults.length > 0 ? BROKEN_EXIT : 0
  },
})
