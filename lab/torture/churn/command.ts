import { z } from 'zod'
import { assetPath } from '../../../server/assets.ts'
import { defineHostVerb } from '../../../server/cli/host-verb.ts'
import { printDocument } from '../../../server/cli/render.ts'
import { labContext } from '../../context.ts'
import { directoryFlag } from '../../directory-flag.ts'

const BROKEN_EXIT = 3 // design surface: a finding
const MINUTES = 10

/** `satchel torture churn`: shows that a room that is visited all day neither grows nor loses descriptors. */
export const churnVerb = defineHostVerb({
  path: ['torture', 'churn'],
  summary: 'let visitors come to a room and go',
  description:
    'Serves a room in a process of its own, lets visitors join, follow its events, propose, commit, take leases and go, politely or cut off in the middle, and looks at the memory and the descriptors of the server all the while. Exits 3 when memory beside the rows of the room moved by more than a tenth after the warm-up, a descriptor did not come back, or an answer was none. Needs /proc. Works in a temporary folder and removes it.',
  input: z.object({
    minutes: z.coerce.number().positive().default(MINUTES).describe('how long visitors come'),
    seed: z.coerce.number().int().min(0).optional().describe('chooses what visitors do; absent: a new one'),
    dir: directoryFlag('folder for the room'),
  }),
  typing: {},
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
