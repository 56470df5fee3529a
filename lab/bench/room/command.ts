import { assetPath } from '../../../server/assets.ts'
import { directoryFlag } from '../../directory-flag.ts'
import { defineBench } from '../bench.ts'

/** `satchel bench room`: what a durable change costs here, against the least it could cost. */
export const roomBench = defineBench({
  subject: 'room',
  title: 'measure the room’s engine on this disk',
  description:
    'Measures durable mutations one at a time and in groups, document commits and recoveries, each against a floor of the same run, interleaved, best of five; then how much longer calls wait while ten readers ask for expensive documents. Works in a temporary folder and removes it.',
  flags: { dir: directoryFlag('folder on the disk to measure') },
  async measure({ program, note }, { dir }) {
    const { roomFigures } = await import('./room-figures.ts')
    const { readerFigures } = await import('./reader-figures.ts')
    return [
      ...(await roomFigures({ directory: dir, wasm: assetPath('sql-wasm.wasm'), note })),
      ...(await readerFigures({ program, directory: dir, note })),
    ]
  },
})
