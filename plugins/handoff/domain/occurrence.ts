/**
 * Where a word is in a record, as one number: the position of the record among those that are read together, the
 * searchable field, and how often. Millions of them are read for one search.
 */
export type Occurrence = number

const COUNT_BITS = 14
const FIELD_BITS = 4
const MAX_COUNT = 2 ** COUNT_BITS - 1

export function occurrenceOf(row: number, field: number, count: number): Occurrence {
  return (row << (COUNT_BITS + FIELD_BITS)) | (field << COUNT_BITS) | Math.min(count, MAX_COUNT)
}

/** The same occurrence in another row. */
export function ofRow(one: Occurrence, row: number): Occurrence {
  return occurrenceOf(row, fieldOfOccurrence(one), countOfOccurrence(one))
}

export function rowOfOccurrence(one: Occurrence): number {
  return one >>> (COUNT_BITS + FIELD_BITS)
}

export function fieldOfOccurrence(one: Occurrence): number {
  return (one >>> COUNT_BITS) & (2 ** FIELD_BITS - 1)
}

export function countOfOccurrence(one: Occurrence): number {
  return one & MAX_COUNT
}
