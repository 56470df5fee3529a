import { assetPath } from '../../../server/assets.ts'
import { directoryFlag } from '../../directory-flag.ts'
import { defineBench } from '../bench.ts'

/** `satchel bench room`: what a durable change costs here, against the least it could cost. */
export const roomBench = defineBench({
  subject: 'room',
  title: 'measure the room’s engine on this disk',
  description:
    'Measures durable mutations one at a time and in groups, document commits and recoveries, each against a floor of the same run, interleaved, best of five. Works in a temporary folder and removes it.',
  flags: { dir: directoryFlag('folder on the disk to measure') },
  async measure({ note }, { dir }) {
    const { roomFigures } = await import('./room-figures.ts')
    return roomFigures({ directory: dir, wasm: assetPath('sql-wasm.wasm'), note })
  },
})

/** `satchel bench readers`: what readers of a document that is expensive to show cost the other calls. */
export const readersBench = defineBench({
  subject: 'readers',
  title: 'measure what readers of a room cost its other calls',
  description:
    'Measures how much longer calls of a room wait while ten readers ask for documents that are expensive to show. Works in a temporary folder and removes it.',
  flags: { dir: directoryFlag('folder on the disk to measure') },
  async measure({ program, note }, { dir }) {
    const { readerFigures } = await import('./reader-figures.ts')
    return readerFigures({ program, directory: dir, note })
  },
})
