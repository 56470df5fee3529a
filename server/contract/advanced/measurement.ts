/** A number of a plugin for `/metrics`, where its name is `satchel_PLUGIN_NAME`. */
export interface Measurement {
  /** a-z, 0-9 and _, with the unit at the end if it has one: `index_age_seconds`. A counter without `_total`. */
  readonly name: string
  readonly help: string
  /** A counter only grows while the process lives. */
  readonly kind: 'gauge' | 'counter'
  readonly unit?: 'seconds' | 'bytes'
  readonly value: number
}
