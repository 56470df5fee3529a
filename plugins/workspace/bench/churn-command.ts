import { z } from 'zod'
import { type Command, defineCommand, type Host } from '../../../server/plugin.ts'

const BROKEN_EXIT = 3 // design surface: a finding
const MINUTES = 10

/** `satchel torture churn`: shows that a room that is visited all day neither grows nor loses descriptors. */
export function churnCommand(host: Host): Command {
  return defineCommand({
    cli: 'torture churn',
    title: 'let visitors come to a room and go',
    description:
      'Serves a room in a process of its own, lets visitors join, follow its events, propose, commit, take leases and go, politely or cut off in the middle, and looks at the memory and the descriptors of the server all the while. Exits 3 when memory beside the rows of the room moved by more than a tenth after the warm-up, a descriptor did not come back, or an answer was none. Needs /proc. Works in a temporary folder and removes it.',
    input: z.object({
      minutes: z.coerce.number().positive().default(MINUTES).describe('how long visitors come'),
      seed: z.coerce.number().int().min(0).optional().describe('chooses what visitors do; absent: a new one'),
      dir: z.string().optional().describe('folder for the room; absent: the folder for temporary files'),
    }),
    example: 'satchel torture churn --minutes 120',
    async run(ctx, { minutes, seed, dir }, terminal) {
      const { churn, churnText } = await import('./churn.ts')
      const report = await churn({
        program: [process.execPath, ...process.execArgv, process.argv[1] ?? ''],
        directory: dir,
        wasm: host.assetPath('sql-wasm.wasm'),
        seed: seed ?? host.now().getTime() % 2 ** 31,
        minutes,
        stopped: () => ctx.signal.aborted,
        note: (line) => terminal.note(line),
      })
      terminal.write(terminal.json ? `${JSON.stringify(report)}\n` : churnText(report))
      return report.faults.length > 0 ? BROKEN_EXIT : 0
    },
  })
}
