import { z } from 'zod'
import { type Command, defineBench, type Host } from '../../../server/plugin.ts'

/** `satchel bench room`: what a durable change costs here, against the least it could cost. */
export function benchCommand(host: Host): Command {
  return defineBench({
    subject: 'room',
    title: 'measure the room’s engine on this disk',
    description:
      'Measures durable mutations one at a time and in groups, document commits and recoveries, each against a floor of the same run, interleaved, best of five. Works in a temporary folder and removes it.',
    input: z.object({
      dir: z
        .string()
        .optional()
        .describe('folder on the disk to measure; absent: the folder for temporary files'),
    }),
    async measure(_ctx, { dir }, terminal) {
      const { roomFigures } = await import('./room-figures.ts')
      const wasm = host.assetPath('sql-wasm.wasm')
      return roomFigures({ directory: dir, wasm, note: (line) => terminal.note(line) })
    },
  })
}
