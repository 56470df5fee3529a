import type { Measurement } from '../../server/plugin.ts'
import type { Meter } from './engine/meter.ts'

/** The numbers of the room, for `/metrics`: zero while another process owns it. */
export function roomMeasurements({ waiting, flushes }: Meter): readonly Measurement[] {
  return [
    {
      name: 'queue_length',
      kind: 'gauge',
      help: 'Mutations and reads that wait for their turn.',
      value: waiting,
    },
    { name: 'journal_flushes', kind: 'counter', help: 'Flushes of the journal to the disk.', value: flushes },
  ]
}
