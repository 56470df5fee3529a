import type { Measurement } from '../contract/advanced/measurement.ts'
import type { StorageCounts } from './postgres.ts'

type Row = Pick<Measurement, 'kind' | 'help'>

const ROWS: Readonly<Record<keyof StorageCounts, Row>> = {
  open: { kind: 'gauge', help: 'Connections to the database.' },
  idle: { kind: 'gauge', help: 'Connections to the database that no statement uses.' },
  waiting: { kind: 'gauge', help: 'Statements that wait for a connection.' },
  most: { kind: 'gauge', help: 'Connections that the pool opens at most.' },
  lost: { kind: 'counter', help: 'Connections that the database or the network ended.' },
  writes: { kind: 'counter', help: 'Changes that the database committed.' },
  asked: {
    kind: 'counter',
    help: 'Changes whose answer was lost, so that the database was asked about them.',
  },
  unknown: { kind: 'counter', help: 'Those of them about which it could not be asked.' },
  listening: {
    kind: 'gauge',
    help: '1 while hints of the database are heard. Without them changes are looked for once a second.',
  },
  hints: { kind: 'counter', help: 'Hints of the database that were heard.' },
}

/** The names under which `/metrics` shows them. */
const NAMES: Readonly<Record<keyof StorageCounts, string>> = {
  open: 'connections',
  idle: 'connections_idle',
  waiting: 'statements_waiting',
  most: 'connections_most',
  lost: 'connections_lost',
  writes: 'writes',
  asked: 'writes_asked',
  unknown: 'writes_unknown',
  listening: 'listening',
  hints: 'hints',
}

/** The counts as numbers of `/metrics`; none before the database is used. */
export function storageMeasurements(counts: StorageCounts | undefined): readonly Measurement[] {
  if (!counts) return []
  const keys = Object.keys(ROWS) as (keyof StorageCounts)[] // the keys of the table above
  return keys.map((key) => ({ ...ROWS[key], name: `satchel_storage_${NAMES[key]}`, value: counts[key] }))
}
