import { newerFormat } from '../output/stored-format.ts'
import { refusals } from '../reasons.ts'
import type { IncludeOptions } from './vector-record.ts'

/** What an embedded store writes; an earlier version refuses it. */
export const STORED_FORMAT = 2

/** How a vector store was made. A store that was made otherwise is refused, never mixed. */
export interface StoreHeader {
  /** Of an embedded store: 2 where vectors may be by column. */
  readonly format: 1 | typeof STORED_FORMAT
  readonly strategy: string
  /** `""` for strategies without a model. */
  readonly model: string
  readonly dims: number
  readonly include: IncludeOptions
  /** `""` for strategies that use neither. */
  readonly lexicon_version: string
  readonly tokenizer_version: number
}

/**
 * Refuses to use a store with another strategy, model or number of dimensions, or made by another lexicon or tokenizer.
 * A change of `include` is accepted: its documents differ and are embedded again.
 * Errors: `conflict`/`embedding_mismatch`, naming both sides; the message never advises to delete a store first.
 */
export function refuseOtherStore(held: StoreHeader, wanted: StoreHeader): void {
  const differs = (['strategy', 'model', 'dims'] as const).filter((key) => held[key] !== wanted[key])
  const details = { store: headerText(held), configuration: headerText(wanted) }
  if (differs.length > 0) {
    throw refusals.embedding_mismatch({ held: details.store, wanted: details.configuration }, { details })
  }
  if (
    held.lexicon_version !== wanted.lexicon_version ||
    held.tokenizer_version !== wanted.tokenizer_version
  ) {
    throw refusals.lexicon_mismatch({ details: { ...details, rebuild: true } })
  }
}

/**
 * The header of the store `place`, or undefined when `value` is not a header.
 * Errors: `conflict`/`store_damaged` for a header of a newer version.
 */
export function parseHeader(value: unknown, place: string): StoreHeader | undefined {
  const format = newerFormat(value, STORED_FORMAT)
  if (format !== undefined) throw refusals.store_newer({ place }, { details: { format } })
  const header = value as Partial<StoreHeader> | null // every member is checked
  const whole =
    (header?.format === 1 || header?.format === STORED_FORMAT) &&
    typeof header.strategy === 'string' &&
    typeof header.model === 'string' &&
    Number.isInteger(header.dims) &&
    typeof header.include === 'object' &&
    typeof header.lexicon_version === 'string' &&
    typeof header.tokenizer_version === 'number'
  return whole ? (header as StoreHeader) : undefined
}

/** The layout of the vectors of a segment: one after the other, or by column. */
export type VectorLayout = 'rows' | 'columns'

/** How an embedded store keeps its vectors: queries of the built-in strategy have few numbers, and read few columns. */
export function layoutOf({ strategy }: StoreHeader): VectorLayout {
  return strategy === 'vectordb-default' ? 'columns' : 'rows'
}

function headerText({ strategy, model, dims }: StoreHeader): string {
  return `${strategy}${model === '' ? '' : ` (${model})`}, ${dims} dimensions`
}
