import type { Lexicon } from './lexicon.ts'
import type { ModuleFields } from './module-fields.ts'
import type { QueryPlan } from './query-plan.ts'
import { tokenize } from './tokens.ts'
import { README_MAX_CHARS, sixDecimals } from './vector-record.ts'

/** Dimensions of `vectordb-default`. */
export const DENSE_DIMS = 384

/** A concept counts as this many words per word of its longest matched phrase. */
const CONCEPT_WEIGHT = 4

type DenseField = 'title' | 'description' | 'readme' | 'variables' | 'outputs' | 'resources'

const FIELD_WEIGHTS: Readonly<Record<DenseField, number>> = {
  title: 4,
  description: 2.5,
  readme: 1,
  variables: 0.7,
  outputs: 0.4,
  resources: 1.5,
}

/** How many documents there are, and how many of them have a feature. */
export interface DocumentFrequencies {
  readonly documents: number
  /** How many documents have a feature. */
  count(feature: string): number
  /** Whether there are vectors of documents beside these. */
  readonly hasOthers?: boolean
}

/** Feature -> weight of a document: stems as `w:<stem>`, concepts as `g:<id>`. */
export function documentFeatures(fields: ModuleFields, lexicon: Lexicon): Map<string, number> {
  const features = new Map<string, number>()
  for (const [field, weight] of Object.entries(FIELD_WEIGHTS)) {
    const text = fields[field as DenseField] // the keys of FIELD_WEIGHTS are fields
    for (const [feature, tf] of termFrequencies(
      field === 'readme' ? text.slice(0, README_MAX_CHARS) : text,
      lexicon,
    )) {
      features.set(feature, (features.get(feature) ?? 0) + weight * (1 + Math.log(1 + tf)))
    }
  }
  return features
}

/**
 * Feature -> weight of a query: how much a word or concept of its plan counts, times idf². The idf is on this side only,
 * so that a stored vector never grows stale when other modules come. Without frequencies every idf is 1.
 */
export function queryFeatures(
  { terms, concepts }: Pick<QueryPlan, 'terms' | 'concepts'>,
  df?: DocumentFrequencies,
): Map<string, number> {
  const features = new Map<string, number>()
  const add = (feature: string, weight: number): void => {
    const count = df?.count(feature) ?? 0
    // A feature that no document has could match only through a hash collision.
    if (df && count === 0 && df.hasOthers !== true) return
    const idf = df ? Math.log(1 + df.documents / (1 + count)) : 1
    features.set(feature, weight * idf * idf)
  }
  for (const { term, weight } of terms) add(`w:${term}`, weight)
  for (const [group, { weight, words }] of concepts) add(`g:${group}`, weight * CONCEPT_WEIGHT * words)
  return features
}

/** The stored vector of a module: it depends on nothing but the module and the lexicon. */
export function documentVector(fields: ModuleFields, lexicon: Lexicon): Float32Array {
  return denseVector(heaviest(documentFeatures(fields, lexicon)))
}

/** More features collide in so few dimensions more often than they match (decision 89). */
const MOST_FEATURES = 100

/** The features that weigh most; equal ones in the order of their names. */
function heaviest(features: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  if (features.size <= MOST_FEATURES) return features
  const sorted = [...features].sort(([a, first], [b, second]) => second - first || (a < b ? -1 : 1))
  return new Map(sorted.slice(0, MOST_FEATURES))
}

/** The vector of a planned query; `df` sharpens it where the keyword index knows the corpus. */
export function queryVector(
  plan: Pick<QueryPlan, 'terms' | 'concepts'>,
  df?: DocumentFrequencies,
): Float32Array {
  return denseVector(queryFeatures(plan, df))
}

/** Features hashed into two buckets each, L2-normalised, rounded to 6 decimals. */
export function denseVector(features: ReadonlyMap<string, number>): Float32Array {
  const sums = new Float64Array(DENSE_DIMS)
  for (const [feature, weight] of features) {
    for (const seed of [0x811c9dc5, 0x9747b28c]) {
      const hash = fnv1a(feature, seed)
      const bucket = hash % DENSE_DIMS
      sums[bucket] = (sums[bucket] ?? 0) + ((hash >>> 30) & 1 ? -weight : weight)
    }
  }
  const norm = Math.sqrt(sums.reduce((sum, value) => sum + value * value, 0))
  return Float32Array.from(sums, (value) => (norm === 0 ? 0 : sixDecimals(value / norm)))
}

function termFrequencies(text: string, lexicon: Lexicon): Map<string, number> {
  const tokens = tokenize(text)
  const counts = new Map<string, number>()
  // Joined names stay out: they are rare words whose collisions cost more than their matches bring.
  for (const word of tokens.words) {
    counts.set(`w:${word}`, (counts.get(`w:${word}`) ?? 0) + 1)
  }
  for (const [group, words] of lexicon.match(tokens)) counts.set(`g:${group}`, CONCEPT_WEIGHT * words)
  return counts
}

/** 32-bit FNV-1a over UTF-16 units with a final mix; unsigned. */
function fnv1a(text: string, seed: number): number {
  let hash = seed
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash ^= hash >>> 16
  hash = Math.imul(hash, 0x85ebca6b)
  hash ^= hash >>> 13
  hash = Math.imul(hash, 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
