import { z } from 'zod'
import { type Command, defineBench } from '../../../server/plugin.ts'

/** `satchel bench events`: how soon a room's events reach their readers, and what readers that stop cost the others. */
export function benchEventsCommand(): Command {
  return defineBench({
    subject: 'events',
    title: 'measure the events of a room',
    description:
      'Serves a room in a process of its own and measures how soon each of 100 readers has the event of a commit, then whether many readers get all of 8,000 events, in order and at no cost to the commits, while ten of them stopped reading. Works in a temporary folder and removes it.',
    input: z.object({
      readers: z.coerce.number().int().min(20).max(4000).default(1000).describe('readers, ten of whom stop'),
      dir: z
        .string()
        .optional()
        .describe('folder on the disk to measure; absent: the folder for temporary files'),
    }),
    async measure(_ctx, { readers, dir }, terminal) {
      const { deliveryFigures } = await import('./delivery-figures.ts')
      const { stalledFigures } = await import('./stalled-figures.ts')
      const program = [process.execPath, ...process.execArgv, process.argv[1] ?? '']
      const options = { program, directory: dir, note: (line: string) => terminal.note(line) }
      terminal.note('commits, one at a time')
      return [...(await deliveryFigures(options)), ...(await stalledFigures({ ...options, readers }))]
    },
  })
}
