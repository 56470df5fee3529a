import * as z from 'zod'
import { assetPath } from '../../../server/assets.ts'
import { defineHostVerb } from '../../../server/cli/host-verb.ts'
import { printDocument } from '../../../server/cli/render.ts'
import { labContext } from '../../context.ts'
import { directoryFlag } from '../../directory-flag.ts'

const BROKEN_EXIT = 3 // design surface: a finding
const MINUTE_MS = 60_000
const KILLS = 1_000
const POINTS = 100_000

/** `satchel torture room`: shows on the user's own disk that nothing acknowledged is lost. */
export const roomVerb = defineHostVerb({
  path: ['torture', 'room'],
  summary: 'try to make a room lose something',
  description:
    'Kills processes while they work in a room, cuts the power of a simulated disk between any two of its changes, fails every write, flush and rename once, and races starters for one room. Prints the seed; exits 3 if a promise was broken. Works in a temporary folder and removes it.',
  input: z.object({
    seed: z.coerce.number().int().min(0).optional().describe('repeats a run; absent: a new one'),
    kills: z.coerce.number().int().min(0).default(KILLS).describe('processes to kill'),
    points: z.coerce.number().int().min(0).default(POINTS).describe('power cuts to simulate'),
    minutes: z.coerce.number().positive().optional().describe('end at what was reached by then'),
    dir: directoryFlag('folder on the disk to try'),
    victim: z
      .string()
      .optional()
      .describe('used by the run itself: work in the room of this file until killed'),
  }),
  examples: ['satchel torture room --kills 40 --points 2000'],
  async run(world, { seed = Date.now() % 2 ** 31, kills, points, minutes, dir: directory, victim }) {
    const wasm = assetPath('sql-wasm.wasm')
    if (victim !== undefined) return (await import('./victim.ts')).work({ file: victim, seed, wasm })
    const { torture, tortureText } = await import('./full-run.ts')
    const { program, note, signal } = labContext(world)
    const report = await torture({
      seed,
      kills,
      points,
      wasm,
      directory,
      victim: (file, childSeed) => [
        ...program,
        'torture',
        'room',
        '--victim',
        file,
        '--seed',
        String(childSeed),
      ],
      budgetMs: (minutes ?? Number.POSITIVE_INFINITY) * MINUTE_MS,
      elapsedMs: () => performance.now(),
      stopped: () => signal.aborted,
      note,
    })
    if (world.terminal.json) printDocument(world.terminal, report)
    else world.terminal.write(tortureText(report))
    return report.failed ? BROKEN_EXIT : 0
  },
})
