import type { Cell, Row } from '../domain/rows.ts'
import { storeDamaged } from './damage.ts'

/** The engine's own row, written with every record. */
export interface Meta {
  readonly seq: number
  readonly nextEventId: number
  /** 0 before the bootstrap. */
  readonly version: number
  readonly hash: string
  readonly bytes: number
  readonly previousHash: string
  /** Whether the newest version is known to be in the markdown file. */
  readonly materialized: boolean
}

/**
 * How a sidecar is written, beside the version of its tables; a satchel that knows less refuses it. 0: every text is a
 * file before its record. 1: texts travel in the records.
 */
export const FORMAT = 1

/** The number of the meta row's statement in the journal. */
export const META_STEP = 0
export const EMPTY_META: Meta = {
  seq: 0,
  nextEventId: 1,
  version: 0,
  hash: '',
  bytes: 0,
  previousHash: '',
  materialized: true,
}
export const META_SQL =
  'UPDATE engine_meta SET seq = ?, next_event_id = ?, version = ?, hash = ?, bytes = ?, previous_hash = ?, materialized = ? WHERE id = 1'
export const ENGINE_DDL = `
CREATE TABLE engine_meta (id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, next_event_id INTEGER NOT NULL,
  version INTEGER NOT NULL, hash TEXT NOT NULL, bytes INTEGER NOT NULL, previous_hash TEXT NOT NULL, materialized INTEGER NOT NULL);
CREATE TABLE engine_generation (id INTEGER PRIMARY KEY, generation INTEGER NOT NULL);
INSERT INTO engine_meta VALUES (1, 0, 1, 0, '', 0, '', 1);
INSERT INTO engine_generation VALUES (1, 0);`

/** The parameters of `META_SQL`. */
export function metaValues(meta: Meta): readonly Cell[] {
  return [
    meta.seq,
    meta.nextEventId,
    meta.version,
    meta.hash,
    meta.bytes,
    meta.previousHash,
    meta.materialized ? 1 : 0,
  ]
}

/** Errors: `unavailable`/`store_damaged` without a row. */
export function metaOfRow(row: Row | undefined): Meta {
  if (!row) throw storeDamaged('room.db has no meta row.', { file: 'room.db' })
  return {
    seq: Number(row['seq']),
    nextEventId: Number(row['next_event_id']),
    version: Number(row['version']),
    hash: String(row['hash']),
    bytes: Number(row['bytes']),
    previousHash: String(row['previous_hash']),
    materialized: row['materialized'] === 1,
  }
}
