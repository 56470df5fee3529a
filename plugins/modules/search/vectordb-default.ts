import { type DocumentFrequencies, denseVector, documentFeatures, queryFeatures } from './dense-features.ts'
import type { Lexicon } from './lexicon.ts'
import type { ModuleFields } from './module-fields.ts'

/** The built-in strategy: no download, no key, no server. It embeds the fields of a module, not its document text. */
export const DEFAULT_STRATEGY = 'vectordb-default'

/** The stored vector of a module. Depends on nothing but the module and the lexicon. */
export function defaultDocumentVector(fields: ModuleFields, lexicon: Lexicon): Float32Array {
  return denseVector(documentFeatures(fields, lexicon))
}

/** The vector of a query; `df` sharpens it where the local keyword index knows the corpus. */
export function defaultQueryVector(query: string, lexicon: Lexicon, df?: DocumentFrequencies): Float32Array {
  return denseVector(queryFeatures(query, lexicon, df))
}
