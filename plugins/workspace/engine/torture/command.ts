import { z } from 'zod'
import { type Command, defineCommand, type Host, SatchelError } from '../../../../server/plugin.ts'

const BROKEN_EXIT = 3 // design surface: a finding
const MINUTE_MS = 60_000
const KILLS = 1_000
const POINTS = 100_000

/** `satchel torture room`: shows on the user's own disk that nothing acknowledged is lost. */
export function tortureCommand(host: Host): Command {
  return defineCommand({
    cli: 'torture room',
    title: 'try to make a room lose something',
    description:
      'Kills processes while they work in a room, cuts the power of a simulated disk between any two of its changes, fails every write, flush and rename once, and races starters for one room. Prints the seed; exits 3 and names the seed when a promise was broken. Works in a temporary folder and removes it.',
    input: z.object({
      seed: z.coerce.number().int().min(0).optional().describe('repeats a run; absent: a new one'),
      kills: z.coerce.number().int().min(0).default(KILLS).describe('processes to kill'),
      points: z.coerce.number().int().min(0).default(POINTS).describe('power cuts to simulate'),
      minutes: z.coerce.number().positive().optional().describe('end at what was reached by then'),
      dir: z
        .string()
        .optional()
        .describe('folder on the disk to try; absent: the folder for temporary files'),
      victim: z
        .string()
        .optional()
        .describe('used by the run itself: work in the room of this file until killed'),
    }),
    example: 'satchel torture room --kills 40 --points 2000',
    async run(ctx, input, terminal) {
      const wasm = host.assetPath('sql-wasm.wasm')
      const seed = input.seed ?? host.now().getTime() % 2 ** 31
      if (input.victim !== undefined) {
        const { work } = await import('./victim.ts')
        return work({ file: input.victim, seed, wasm })
      }
      const { torture, tortureText } = await import('./full-run.ts')
      const report = await torture({
        seed,
        kills: input.kills,
        points: input.points,
        wasm,
        directory: input.dir,
        victim: ownCommandLine,
        budgetMs: (input.minutes ?? Number.POSITIVE_INFINITY) * MINUTE_MS,
        elapsedMs: () => performance.now(),
        stopped: () => ctx.signal.aborted,
        note: (line) => terminal.note(line),
      })
      terminal.write(terminal.json ? `${JSON.stringify(report)}\n` : tortureText(report))
      return report.failed ? BROKEN_EXIT : 0
    },
  })
}

/** This very program, as it was started, with other words. */
function ownCommandLine(file: string, seed: number): [string, ...string[]] {
  const [, program] = process.argv
  if (program === undefined) {
    throw new SatchelError('invalid', 'invalid_request', 'Run this from the command line of satchel.')
  }
  return [
    process.execPath,
    ...process.execArgv,
    program,
    'torture',
    'room',
    '--victim',
    file,
    '--seed',
    String(seed),
  ]
}
