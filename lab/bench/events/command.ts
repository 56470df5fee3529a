import * as z from 'zod'
import { directoryFlag } from '../../directory-flag.ts'
import { defineBench } from '../bench.ts'

/** `satchel bench events`: how soon a room's events reach their readers, and what readers that stop cost the others. */
export const eventsBench = defineBench({
  subject: 'events',
  title: 'measure the events of a room',
  description:
    'Serves a room in a separate process and measures how soon each of 100 readers receives the event of a commit, then whether many readers get all of 8,000 events, in order and without slowing commits, while ten of them do not read. Works in a temporary folder and removes it.',
  flags: {
    readers: z.coerce.number().int().min(20).max(4000).default(1000).describe('readers, ten of whom stop'),
    rounds: z.coerce
      .number()
      .int()
      .min(1)
      .max(20)
      .default(2)
      .describe('pairs of rooms whose commits are compared, about 260 of each in a round'),
    dir: directoryFlag('folder on the disk to measure'),
  },
  async measure({ program, note }, { readers, rounds, dir }) {
    const { deliveryFigures } = await import('./delivery-figures.ts')
    const { stalledFigures } = await import('./stalled-figures.ts')
    const options = { program, directory: dir, note }
    note('commits, one at a time')
    return [...(await deliveryFigures(options)), ...(await stalledFigures({ ...options, readers, rounds }))]
  },
})
