import { z } from 'zod'
import { type Command, defineCommand, type Host } from '../../../server/plugin.ts'

const WEAK_EXIT = 3 // design surface: a finding

/** `satchel bench room`: what a durable change costs here, against the least it could cost. */
export function benchCommand(host: Host): Command {
  return defineCommand({
    cli: 'bench room',
    title: 'measure the room’s engine on this disk',
    description:
      'Measures durable mutations one at a time and in groups, document commits and recoveries, each against a floor of the same run, interleaved, best of five. With --gate it exits 3 when a figure is more than twice as weak as its goal. Works in a temporary folder and removes it.',
    input: z.object({
      dir: z
        .string()
        .optional()
        .describe('folder on the disk to measure; absent: the folder for temporary files'),
      gate: z.boolean().default(false).describe('exit 3 when a figure is over the gate'),
    }),
    example: 'satchel bench room --json',
    async run(_ctx, { dir, gate }, terminal) {
      const { figureText, keeps } = await import('./figure.ts')
      const { roomFigures } = await import('./room-figures.ts')
      const wasm = host.assetPath('sql-wasm.wasm')
      const figures = await roomFigures({ directory: dir, wasm, note: (line) => terminal.note(line) })
      terminal.write(terminal.json ? `${JSON.stringify({ figures })}\n` : figureText(figures))
      const isWeak = figures.some((figure) => !keeps(figure, 'gate'))
      return gate && isWeak ? WEAK_EXIT : 0
    },
  })
}
